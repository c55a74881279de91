// The runs of the page: those that a report holds, or the one that a live view follows.
import {textOf, unpackNumbers, unpackText} from './packed.js';
import {Run} from './run.js';

/** Columns stand in blocks, each in an element of its own, which is unpacked when one of them is first asked for. */
class StoredRun extends Run {
  constructor(index, {label, rows, record, columns, columns_per_block: perBlock}) {
    super(index, label, columns, record);
    Object.assign(this, {rows, perBlock});
    this.blocks = new Map();
    this.unpacked = new Map();
  }

  numbers(place) {
    const block = Math.floor(place / this.perBlock),
      first = (place % this.perBlock) * this.rows;
    if (!this.blocks.has(block)) this.blocks.set(block, unpackNumbers(textOf(`columns-${this.index}-${block}`)));
    if (!this.unpacked.has(place))
      this.unpacked.set(place, this.blocks.get(block).subarray(first, first + this.rows));
    return this.unpacked.get(place);
  }
}

export let report = null;
export let allRuns = [];
/** Those that have something to show. */
export let runs = [];
/** What the runs agree on, as a run; or null. */
export let consensus = null;

/** Meshes name their triangles by the place in a list: those that are alike share them. */
function withSurfaces(mechanism) {
  for (const shape of [...(mechanism?.ground ?? []), ...(mechanism?.bodies ?? []).flatMap(({shapes}) => shapes)])
    if (shape.type === 'mesh') shape.triangles = mechanism.surfaces[shape.surface];
}

export function readReport() {
  report = JSON.parse(unpackText(textOf('report')));
  withSurfaces(report.mechanism);
  allRuns = report.runs.map((run, index) => new StoredRun(index, run));
  runs = allRuns.filter((run) => run.rows > 0);
  consensus = report.consensus ? new StoredRun(report.runs.length, report.consensus) : null;
}

/** What a live view shows in the place of a report. */
export function showLive(description, run) {
  report = description;
  withSurfaces(report.mechanism);
  allRuns = runs = [run];
  consensus = null;
}
