import type * as Whole from './runTables.ts'

/** A chain whose blocks are proven has none that are derived. */
export class RunMemory {}

type Reads = Pick<Whole.RunTables, 'refresh' | 'numberOf' | 'canonicalHash' | 'runOf' | 'byId'>

export class RunTables implements Reads {
  refresh(): void {}

  numberOf(): undefined {}

  canonicalHash(): undefined {}

  runOf(): undefined {}

  byId(): undefined {}
}
