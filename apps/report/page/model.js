// The model file as it was given.
import {report} from './data.js';
import {element} from './format.js';

// A comment, a quoted text, a key, a number; in this order, so that what stands in comments and texts is left alone.
const tokens =
  /(^\s*#.*|\s#.*)|("(?:[^"\\]|\\.)*"|'[^']*')|([\w.[\]-]+)(?=\s*:(?:\s|$))|(?<![\w.])(-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?![\w.])/gi;
const kinds = ['comment', 'text', 'key', 'number'];

function line(text) {
  const out = element('span', {className: 'line'});
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    out.append(
      text.slice(end, match.index),
      element('span', {className: kinds[match.slice(1).findIndex(Boolean)], textContent: match[0]}),
    );
    end = match.index + match[0].length;
  }
  out.append(text.slice(end), '\n');
  return out;
}

export function setUpModel(section) {
  const {file, text} = report.model ?? {};
  if (!text) return section.remove();
  section.append(
    element(
      'div',
      {className: 'card'},
      element('p', {className: 'file', textContent: file}),
      element(
        'pre',
        {className: 'code', tabIndex: 0, role: 'region', 'aria-label': 'Model file'},
        ...text.replace(/\n$/, '').split('\n').map(line),
      ),
    ),
  );
}
