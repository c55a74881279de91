// Keys for the whole page. Controls keep the keys that they need themselves.
const typing = (target) => target.closest('input[type=search], input[type=number], select, [role=radiogroup], dialog');

export function setUpKeyboard({clock, plots, view, find, more = {}, signal}) {
  const press = (id) => () => find(id).click();
  const keys = {
    ' ': () => clock.toggle(),
    ArrowLeft: (event) => clock.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => clock.step(event.shiftKey ? 10 : 1),
    Home: () => clock.step(-Infinity),
    End: () => clock.step(Infinity),
    '+': () => plots.zoomBy(0.5),
    '=': () => plots.zoomBy(0.5),
    '-': () => plots.zoomBy(2),
    0: () => plots.zoomOut(),
    b: press('body-labels'),
    j: press('joint-labels'),
    g: press('grid'),
    a: press('forces'),
    t: press('trace'),
    c: press('follow'),
    f: press('fit'),
    '/': () => find('search').focus(),
    '?': press('help'),
    ...more,
  };
  const onDrawing = view && {
    ArrowLeft: () => view.orbit(-1, 0),
    ArrowRight: () => view.orbit(1, 0),
    ArrowUp: () => view.orbit(0, -1),
    ArrowDown: () => view.orbit(0, 1),
    '+': () => view.zoom(0.85),
    '=': () => view.zoom(0.85),
    '-': () => view.zoom(1 / 0.85),
  };
  const onKey = (event) => {
    const {target} = event;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(target)) return;
    if (event.key === ' ' && target.closest('button, summary, a')) return;
    const action =
      (target.id === 'canvas' && onDrawing?.[event.key]) ||
      keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  };
  document.addEventListener('keydown', onKey, {signal});
}
