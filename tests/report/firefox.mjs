// A headless Firefox driven by Marionette, its own protocol: lengths and JSON over a socket of this machine; no package.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Port 0: the browser takes a free one and writes it down. */
const preferences = `user_pref('marionette.port', 0);
user_pref('browser.shell.checkDefaultBrowser', false);
user_pref('datareporting.policy.dataSubmissionEnabled', false);
user_pref('toolkit.telemetry.reportingpolicy.firstRun', false);
user_pref('app.update.enabled', false);
user_pref('network.captive-portal-service.enabled', false);
user_pref('network.connectivity-service.enabled', false);
user_pref('webgl.force-enabled', true);
`;

export class Firefox {
  static async start(program) {
    const browser = new Firefox();
    browser.profile = mkdtempSync(join(tmpdir(), 'polyform-firefox-'));
    writeFileSync(join(browser.profile, 'user.js'), preferences);
    browser.process = spawn(program, ['--headless', '--marionette', '--no-remote', '--profile', browser.profile], {
      stdio: 'ignore',
      env: {...process.env, MOZ_HEADLESS: '1', HOME: browser.profile},
    });
    await browser.join();
    await browser.send('WebDriver:NewSession', {});
    return browser;
  }

  async join() {
    let port = NaN;
    for (let tries = 0; tries < 600 && !Number.isInteger(port); ++tries) {
      await wait(100);
      try {
        port = Number.parseInt(readFileSync(join(this.profile, 'MarionetteActivePort'), 'utf8'), 10);
      } catch {
        // It is not written yet.
      }
    }
    this.socket = connect(port, '127.0.0.1');
    this.waiting = new Map();
    this.last = 0;
    let bytes = Buffer.alloc(0);
    const greeted = new Promise((done) => (this.greeted = done));
    this.socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const colon = bytes.indexOf(58);
        if (colon < 0) return;
        const size = Number(bytes.subarray(0, colon).toString());
        if (bytes.length < colon + 1 + size) return;
        this.receive(JSON.parse(bytes.subarray(colon + 1, colon + 1 + size).toString()));
        bytes = bytes.subarray(colon + 1 + size);
      }
    });
    await greeted;
  }

  receive(message) {
    if (!Array.isArray(message)) return this.greeted();
    const [, id, error, result] = message;
    const {resolve, reject} = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  send(command, parameters) {
    const id = ++this.last,
      text = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }

  async open(url) {
    await this.send('WebDriver:Navigate', {url});
  }

  /** The value of an expression in the page; a promise is waited for. */
  async evaluate(expression) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve().then(() => (${expression})).then((value) => done({value}), (problem) => done({problem: String(problem)}));`;
    const {value} = await this.send('WebDriver:ExecuteAsyncScript', {script, args: [], sandbox: null, newSandbox: false});
    if (value.problem) throw new Error(value.problem);
    return value.value;
  }

  async screenshot() {
    return Buffer.from((await this.send('WebDriver:TakeScreenshot', {full: false})).value, 'base64');
  }

  async close() {
    const ended = new Promise((done) => this.process.once('exit', done));
    await this.send('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
    await ended;
    this.socket.destroy();
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
