// The theme opens its lists by labels of hidden boxes, which the Tab key passes by. The labels of the two drawers become
// buttons; those of the tree of pages stay, and site.css lets the Tab key reach their boxes.
const drawerButtons = (box) => {
  const buttons = [...document.querySelectorAll(`label.nav-overlay-icon[for=${box.id}], label.toc-overlay-icon[for=${box.id}]`)].map((label) => {
    const button = document.createElement('button');
    button.className = label.className;
    button.append(...label.childNodes);
    button.addEventListener('click', () => box.click());
    label.replaceWith(button);
    return button;
  });
  const tell = () => buttons.forEach((button) => button.setAttribute('aria-expanded', String(box.checked)));
  box.addEventListener('change', tell);
  tell();
  return buttons;
};

document.addEventListener('DOMContentLoaded', () => {
  for (const box of document.querySelectorAll('.toctree-checkbox'))
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') box.click();
    });
  for (const [id, drawer] of [['__navigation', '.sidebar-drawer'], ['__toc', '.toc-drawer']]) {
    const box = document.getElementById(id);
    const list = document.querySelector(drawer);
    if (!box || !list) continue;
    const buttons = drawerButtons(box);
    // An opened drawer takes the focus once it has come in; the Escape key closes it and gives the focus back.
    box.addEventListener('change', () => {
      const first = [...list.querySelectorAll('a, input')].find((place) => place.offsetParent);
      if (box.checked) setTimeout(() => first?.focus(), 300);
    });
    document.addEventListener('keydown', ({key}) => {
      if (key !== 'Escape' || !box.checked) return;
      box.click();
      buttons.find((button) => button.offsetParent)?.focus();
    });
  }
});
