// The theme opens its lists by labels of hidden boxes, which the Tab key passes by. Here they are buttons.
document.addEventListener('DOMContentLoaded', () => {
  for (const label of document.querySelectorAll('.nav-overlay-icon, .toc-overlay-icon, .toctree-l1 label, .toctree-l2 label')) {
    const box = document.getElementById(label.htmlFor);
    if (!box) continue;
    const told = () => label.setAttribute('aria-expanded', String(box.checked));
    label.tabIndex = 0;
    label.setAttribute('role', 'button');
    label.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      box.click();
    });
    box.addEventListener('change', told);
    told();
  }
  // An opened drawer has the focus, and the Escape key closes it.
  for (const [id, drawer] of [['__navigation', '.sidebar-drawer'], ['__toc', '.toc-drawer']]) {
    const box = document.getElementById(id), list = document.querySelector(drawer);
    if (!box || !list) continue;
    const opener = () => [...document.querySelectorAll(`label[for=${id}][role=button]`)].find((label) => label.checkVisibility?.() ?? label.offsetParent);
    box.addEventListener('change', () => {
      if (box.checked) setTimeout(() => list.querySelector('a, input')?.focus(), 300);
    });
    document.addEventListener('keydown', ({key}) => {
      if (key !== 'Escape' || !box.checked) return;
      box.click();
      opener()?.focus();
    });
  }
});
