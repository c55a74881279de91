// node test_view.mjs CHROMIUM POLYFORM MODELS FOLDER AXE: `polyform view` as a browser and as strangers meet it.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {connect} from 'node:net';
import {at, browser, folder, page, polyform, settled} from './page_tools.mjs';

const axe = process.argv[6];
const model = (length, extra = 'gravity: [0, 0, -9.81]') => `polyform: 1
name: swing
parameters: {length: ${length}, mass: 2}
bodies:
  - {name: rod, mass: mass, center_of_mass: [length / 2, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
simulation: {duration: 100, step: 0.001, integrator: rk4}
${extra}
`;
const file = at('swing.yaml');
writeFileSync(file, model(1));

const server = spawn(polyform, ['view', 'swing.yaml'], {cwd: folder, stdio: ['ignore', 'pipe', 'pipe']});
let said = '';
server.stderr.on('data', (text) => (said += text));
const address = await new Promise((done, fail) => {
  let text = '';
  server.stdout.on('data', (chunk) => {
    text += chunk;
    const found = /http:\/\/127\.0\.0\.1:(\d+)\/\?token=([0-9a-f]{32})\n/.exec(text);
    if (found) done({url: found[0].trim(), port: Number(found[1]), token: found[2]});
  });
  server.on('exit', () => fail(new Error(`polyform view has ended: ${said}`)));
});

/** The answer to a request, as anybody on this machine could make it. */
const ask = (path, {headers = {}, method = 'GET'} = {}) =>
  new Promise((done, fail) => {
    const asked = request({host: '127.0.0.1', port: address.port, path, method, headers}, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => done({status: answer.statusCode, headers: answer.headers, text}));
    });
    asked.on('error', fail);
    asked.end();
  });
/** What comes back for bytes that are no good request; "" where the connection is closed. */
const raw = (text) =>
  new Promise((done) => {
    const socket = connect(address.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('error', () => done(answer));
    socket.on('close', () => done(answer));
    socket.write(text);
    setTimeout(() => socket.destroy(), 1500);
  });
const upgrade = {Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA=='};
const time = () => page('polyform.clock.end');
const angle = () => page(`polyform.run.column('pin.q').at(-1)`);

const tests = {
  async 'strangers are refused: a wrong token, none, another host, another origin, other paths and methods'() {
    const good = `/?token=${address.token}`;
    const wrong = [
      ['/', 403],
      ['/?token=', 403],
      [`/?token=${'0'.repeat(32)}`, 403],
      [`/?token=${address.token}0`, 403],
      [`/?x=1&token=${address.token}`, 403],
      [`/live?token=${'0'.repeat(32)}`, 403],
      [`/../../etc/passwd?token=${address.token}`, 404],
      [`/%2e%2e/%2e%2e/etc/passwd?token=${address.token}`, 404],
      [`/swing.yaml?token=${address.token}`, 404],
      [`/live?token=${address.token}`, 404],
      ['/etc/passwd', 403],
    ];
    for (const [path, status] of wrong) {
      const answer = await ask(path);
      assert.equal(answer.status, status, path);
      assert.ok(!answer.text.includes(address.token) && !answer.text.includes('swing') && answer.text.length < 200);
    }
    assert.equal((await ask(good, {headers: {Host: 'evil.example'}})).status, 403);
    assert.equal((await ask(good, {headers: {Host: `evil.example:${address.port}`}})).status, 403);
    assert.equal((await ask(good, {headers: {Origin: 'http://evil.example'}})).status, 403);
    assert.equal((await ask(good, {method: 'POST'})).status, 405);
    assert.equal((await ask(good, {method: 'DELETE'})).status, 405);
    assert.equal((await ask(`/live?token=${address.token}`, {headers: {...upgrade, Origin: 'http://evil.example'}})).status, 403);
    assert.equal((await ask('/live', {headers: upgrade})).status, 403);
    const answer = await ask(good);
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-security-policy'], /default-src 'none'/);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    assert.equal((await ask(good, {method: 'HEAD'})).status, 200);
  },

  async 'bytes that are no request end their connection alone'() {
    await raw('\0\xff\x16\x03\x01 nonsense\r\n\r\n');
    await raw(`GET /?token=${address.token} HTTP/1.1\r\nHost: 127.0.0.1:${address.port}\r\nX: ${'x'.repeat(100000)}\r\n\r\n`);
    await raw(`GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(20000)}\r\n`);
    assert.equal((await ask(`/?token=${address.token}`)).status, 200);
  },

  async 'the page shows the run as it goes'() {
    await browser.open(address.url);
    await settled(`window.polyform?.run.rows > 30`);
    assert.equal(await page('document.title'), 'swing · Polyform view');
    assert.deepEqual(await page('polyform.view.mechanism.bodies.map(({name}) => name)'), ['rod']);
    const before = await time();
    await settled(`polyform.clock.end > ${before} + 0.3`);
    // One second of the run is one second on the wall.
    const [began, first] = [performance.now(), await time()];
    await new Promise((done) => setTimeout(done, 1500));
    const pace = (1000 * ((await time()) - first)) / (performance.now() - began);
    // A busy machine may be slower, none is faster.
    assert.ok(pace > 0 && pace < 1.7, `${pace} s in a second`);
  },

  async 'pause and go on'() {
    await page(`document.getElementById('play').click()`);
    await new Promise((done) => setTimeout(done, 400));
    const rested = await page('polyform.run.rows');
    await new Promise((done) => setTimeout(done, 400));
    assert.equal(await page('polyform.run.rows'), rested);
    await page(`document.getElementById('play').click()`);
    await settled(`polyform.run.rows > ${rested} + 5`);
  },

  async 'a slider of a parameter: the mechanism is drawn anew at once'() {
    assert.deepEqual(await page(`[...document.querySelectorAll('.slider span')].map((s) => s.textContent)`), ['length', 'mass']);
    await page(`(() => { const s = document.querySelector('.slider input[type=range]'); s.value = 1.6; s.dispatchEvent(new Event('input')); })()`);
    await settled(`polyform.description.parameters.length === 1.6`);
    await settled(`polyform.view.mechanism.bodies[0].center[0] === 0.8`);
    await page(`document.getElementById('reset').click()`);
    await settled(`polyform.view.mechanism.bodies[0].center[0] === 0.5`);
  },

  async 'a value that the model refuses is told with its reason, and the next one mends it'() {
    await page(`polyform.send({do: 'set', name: 'mass', value: -1})`);
    await settled(`/negative|mass/.test(document.getElementById('errors').textContent) && !document.getElementById('errors').hidden`);
    await page(`polyform.send({do: 'reset'})`);
    await settled(`document.getElementById('errors').hidden && polyform.run.rows > 3`);
  },

  async 'the file is edited: the page follows; an error has its place, and what was drawn stays'() {
    writeFileSync(file, model(1.2));
    await settled(`polyform.description.parameters.length === 1.2`);
    writeFileSync(file, model(1.2).replace('type: revolute', 'type: revolut'));
    await settled(`!document.getElementById('errors').hidden`);
    assert.match(await page(`document.getElementById('errors').textContent`), /swing\.yaml:7:\d+.*revolut.*revolute/s);
    assert.equal(await page(`document.body.classList.contains('stale')`), true);
    assert.equal(await page('polyform.view.mechanism.bodies.length'), 1);
    writeFileSync(file, model(1.4));
    await settled(`polyform.description.parameters.length === 1.4 && document.getElementById('errors').hidden`);
    assert.equal(await page(`document.body.classList.contains('stale')`), false);
  },

  async 'a push by the mouse gives the energy that it should: a rod that hangs at rest moves'() {
    writeFileSync(file, model(1, 'gravity: [0, 0, 0]'));
    await settled(`polyform.description.mechanism.gravity.every((g) => g === 0) && polyform.run.rows > 3`);
    assert.ok(Math.abs(await angle()) < 1e-12);
    const {x, y} = await page(`(() => {
      const {view} = polyform, {left, top, width, height} = view.canvas.getBoundingClientRect();
      view.draw();
      const p = view.main.motion.point({body: 0, point: [0.5, 0, 0]}, view.center.clone()).project(view.camera);
      return {x: left + ((p.x + 1) / 2) * width, y: top + ((1 - p.y) / 2) * height};
    })()`);
    await page(`document.getElementById('push').click()`);
    await browser.mouse('mousePressed', x, y, 1);
    await browser.mouse('mouseMoved', x, y - 40, 1);
    await settled('Math.abs(polyform.run.column("pin.q").at(-1)) > 0.01');
    await browser.mouse('mouseReleased', x, y - 40);
    // Left alone it turns on evenly; what the push has done is its energy.
    await new Promise((done) => setTimeout(done, 500));
    const [v, energy, balance] = await page(`['pin.v', 'energy.kinetic', 'energy.balance'].map((name) => polyform.run.column(name).at(-1))`);
    const inertia = 0.1 + 2 * 0.25;
    assert.ok(Math.abs(energy - 0.5 * inertia * v * v) < 1e-9 * energy);
    assert.ok(Math.abs(balance) < 1e-3 * energy, `${balance} J of ${energy} J are not the work of the push`);
    const before = await page(`polyform.run.column('pin.v').at(-1)`);
    await new Promise((done) => setTimeout(done, 300));
    assert.ok(Math.abs((await page(`polyform.run.column('pin.v').at(-1)`)) - before) < 1e-6);
    await page(`document.getElementById('push').click()`);
  },

  async 'a page that is opened after the end of a run shows the run'() {
    writeFileSync(file, model(1).replace('duration: 100', 'duration: 0.5'));
    await settled(`/come to its end at 0\\.5 s/.test(document.getElementById('summary').textContent)`);
    const rows = await page('polyform.run.rows');
    await browser.open(address.url);
    await settled(`window.polyform?.run.rows === ${rows}`);
    assert.equal(await time(), 0.5);
    assert.match(await page(`document.getElementById('summary').textContent`), /come to its end/);
    await page(`window.before = polyform.run; document.getElementById('play').click()`);
    await settled(`polyform.run !== window.before && polyform.run.rows > 3`);
    writeFileSync(file, model(1));
    await settled('polyform.run.rows > 3 && polyform.description.duration === 100');
  },

  async 'messages that are none are ignored'() {
    for (const text of ['', 'no JSON', '[]', '{"do": 3}', '{"do": "set", "name": "a.b", "value": 1}', '{"do":"speed","value":-1}', '{"do":"push","body":99999,"point":[0,0,0],"force":[1,2,3]}', '{"do":"push","body":0,"point":[0,0],"force":"x"}'])
      await page(`(() => { const s = new WebSocket('ws://' + location.host + '/live' + location.search); s.onopen = () => { s.send(${JSON.stringify(text)}); setTimeout(() => s.close(), 100); }; })()`);
    const rows = await page('polyform.run.rows');
    await settled(`polyform.run.rows > ${rows} + 20`);
  },

  async 'axe finds nothing on the page'() {
    if (!existsSync(axe)) return 'skipped: axe-core is not installed';
    await page(`${readFileSync(axe, 'utf8')};0`);
    const found = await page(`axe.run(document).then(({violations}) => violations.map(({id, nodes}) => [id, nodes.map(({target}) => target.join(' '))]))`);
    assert.deepEqual(found, []);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const figures = await test();
    assert.deepEqual(browser.complaints ?? [], [], 'errors in the console');
    console.log(`ok    ${name}${figures ? ` (${figures})` : ''}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n      ${problem.message}`);
  }
}
await browser.close();

server.removeAllListeners('exit');
const end = new Promise((done) => server.once('exit', (code, signal) => done({code, signal})));
server.kill('SIGINT');
const {code, signal} = await end;
if (code !== 0 || signal) {
  ++failed;
  console.log(`FAIL  Ctrl-C: it ends by itself, with code 0\n      code ${code}, signal ${signal}`);
}
const gone = await ask(`/?token=${address.token}`).then(
  () => false,
  () => true,
);
if (!gone) {
  ++failed;
  console.log('FAIL  nobody listens on the port any more');
}
console.log(failed ? `${failed} failed` : `all ${Object.keys(tests).length + 2} passed`);
process.exit(failed ? 1 : 0);
