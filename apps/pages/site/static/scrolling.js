// What is wider than its place scrolls by the arrow keys too: the Tab key reaches it.
const reach = () => {
  for (const box of document.querySelectorAll('pre, .table-wrapper'))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
};
addEventListener('load', reach);
addEventListener('resize', reach);
