// A headless Chromium driven over the DevTools protocol, through pipes: no port, no package.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const options = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--hide-scrollbars',
  '--remote-debugging-pipe',
];

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), 'polyform-browser-'));
    this.process = spawn(program, [...options, `--user-data-dir=${this.profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    let text = '';
    this.process.stdio[4].on('data', (chunk) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
    this.process.on('error', (problem) => this.fail(problem));
    this.process.on('exit', () => this.fail(new Error('the browser has ended')));
  }

  fail(problem) {
    for (const {reject} of this.waiting.values()) reject(problem);
    this.waiting.clear();
  }

  receive({id, result, error, method, params}) {
    if (id === undefined) return this.listeners.forEach((listener) => listener(method, params));
    const {resolve, reject} = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  send(method, params = {}) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.process.stdio[3].write(
        `${JSON.stringify({id, method, params, ...(this.session && {sessionId: this.session})})}\0`,
      );
    });
  }

  /** A page of its own, with what it complains about and asks the network for collected from the start. */
  /** file: a path, or an address of this machine. */
  async open(file, {width = 1440, height = 900, dark = false} = {}) {
    this.session = undefined;
    this.complaints = [];
    this.told = []; // all messages on the console, complaints or not
    this.requests = [];
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    ({sessionId: this.session} = await this.send('Target.attachToTarget', {targetId, flatten: true}));
    this.listeners = [
      (method, params) => {
        if (method === 'Runtime.exceptionThrown')
          this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(params.entry.text);
        if (method === 'Runtime.consoleAPICalled') this.told.push(params.args.map((a) => a.value ?? a.description).join(' '));
        if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(params.type))
          this.complaints.push(params.args.map((a) => a.value ?? a.description).join(' '));
        if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
      },
    ];
    for (const domain of ['Runtime', 'Log', 'Network', 'Page', 'Performance']) await this.send(`${domain}.enable`);
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    await this.send('Emulation.setEmulatedMedia', {
      features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}],
    });
    const began = performance.now();
    const loaded = new Promise((resolve) =>
      this.listeners.push((method) => method === 'Page.loadEventFired' && resolve()),
    );
    await this.send('Page.navigate', {url: /^http:/.test(file) ? file : `file://${file}`});
    await loaded;
    await this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    return performance.now() - began;
  }

  /** The value of an expression in the page; a promise is waited for. */
  async evaluate(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async press(key, {code = key, text, modifiers = 0} = {}) {
    await this.send('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', key, code, text, modifiers});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, code, modifiers});
  }

  async mouse(type, x, y, buttons = 0) {
    await this.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      button: buttons || type === 'mouseReleased' ? 'left' : 'none',
      buttons,
      clickCount: 1,
    });
  }

  async screenshot() {
    return Buffer.from((await this.send('Page.captureScreenshot', {format: 'png'})).data, 'base64');
  }

  async close() {
    this.session = undefined;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
