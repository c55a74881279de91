// What is chosen on the page, kept in its address, so that a link or a reload shows the same.
import {pointOfText, pointText} from './body-points.js';
import {press, pressed} from './view-tools.js';

const toggles = {bodies: 'body-labels', joints: 'joint-labels', forces: 'forces', ground: 'grid'};

/** In the form "#plot=a.x&plot=b.y&over=frequency"; other hashes are places of the page. */
const isState = (hash) => hash.includes('=');

export class Address {
  constructor({clock, plots, picker, view, find, setMode, setOver}) {
    Object.assign(this, {clock, plots, picker, view, find, setMode, setOver});
  }

  /** Keeps what is chosen from now on. */
  follow() {
    this.plots.onChange(() => this.write());
    this.plots.onZoom(() => this.writeSoon());
    this.find('speed').addEventListener('change', () => this.write());
    // A row at rest, not every frame.
    this.clock.onChange(() => {
      clearTimeout(this.later);
      if (!this.clock.playing) this.writeSoon();
    });
    // Places of the page would push the choice out of the address.
    for (const link of document.querySelectorAll('nav a[href^="#"], a.skip'))
      link.addEventListener('click', (event) => {
        event.preventDefault();
        const place = document.querySelector(link.getAttribute('href'));
        place.tabIndex = -1;
        place.focus({preventScroll: true});
        place.scrollIntoView();
      });
    window.addEventListener('hashchange', () => isState(location.hash) && this.read());
  }

  writeSoon() {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.write(), 300);
  }

  write() {
    if (this.isReading) return;
    const {clock, plots, view, find} = this,
      state = new URLSearchParams();
    for (const name of plots.names) state.append('plot', name);
    if (plots.over !== 'time') state.set('over', plots.over);
    if (plots.mode !== 'values') state.set('mode', `${plots.mode},${plots.reference.index}`);
    if (plots.isZoomed) state.set('zoom', plots.range.join());
    if (clock.time !== clock.start) state.set('t', String(clock.time));
    if (find('speed').value !== String(this.firstSpeed ?? find('speed').value)) state.set('speed', find('speed').value);
    const on = Object.entries(toggles).filter(([, id]) => pressed(find(id)) !== (id === 'grid'));
    if (on.length > 0) state.set('show', on.map(([name]) => name).join());
    if (view) {
      if (find('body').selectedIndex > 0) state.set('body', find('body').selectedOptions[0].textContent);
      for (const at of view.traces.points) state.append('trace', pointText(view.mechanism, at));
      if (view.followed !== view.firstFollowed) state.set('follow', view.mechanism.bodies[view.followed]?.name ?? '');
    }
    history.replaceState(null, '', `#${state}`);
  }

  /** Applies what the address says; false where it says nothing. */
  read() {
    const {clock, plots, picker, view, find} = this;
    this.firstSpeed ??= find('speed').value;
    if (!isState(location.hash)) return false;
    this.isReading = true;
    const state = new URLSearchParams(location.hash.slice(1));
    const [mode, reference] = (state.get('mode') ?? 'values').split(',');
    if (mode !== plots.mode || reference !== undefined) this.setMode(mode, reference);
    picker.pick(state.getAll('plot').filter((name) => plots.knows(name)));
    const over = state.get('over') ?? 'time';
    if (['time', 'frequency'].includes(over) || plots.knows(over)) this.setOver(over);
    const zoom = (state.get('zoom') ?? '').split(',').map(Number);
    plots.zoom(zoom.length === 2 && zoom.every(Number.isFinite) ? zoom : plots.whole);
    const show = (state.get('show') ?? '').split(',');
    for (const [name, id] of Object.entries(toggles)) {
      const wanted = show.includes(name) !== (id === 'grid');
      if (!find(id).disabled && pressed(find(id)) !== wanted) find(id).click();
    }
    if (view) {
      const place = (name) => view.mechanism.bodies.findIndex((body) => body.name === name);
      for (const text of state.getAll('trace')) {
        const at = pointOfText(view.mechanism, view.shapes, text);
        if (at && !view.traces.has(at)) view.toggleTrace(at.body, at);
      }
      const followed = state.has('follow') ? place(state.get('follow')) : view.firstFollowed;
      if (followed !== view.followed) view.follow(followed);
      const body = [...find('body').options].find(({textContent}) => textContent === state.get('body')) ?? find('body').options[0];
      if (body && find('body').value !== body.value) {
        find('body').value = body.value;
        find('body').onchange();
      }
      view.showBody();
    }
    const speed = [...find('speed').options].find(({value}) => value === state.get('speed'));
    if (speed) {
      find('speed').value = speed.value;
      clock.speed = Number(speed.value);
    }
    const time = Number(state.get('t') ?? NaN);
    if (Number.isFinite(time)) clock.seek(time);
    this.isReading = false;
    return true;
  }
}
