import type { DatasetFiles } from '../../../src/base/ports/ethashDatasets.ts'

/** Files of datasets in memory. */
export class MemoryDatasetFiles implements DatasetFiles {
  readonly files = new Map<string, Uint8Array>()

  async list(): Promise<readonly string[]> {
    return [...this.files.keys()]
  }

  async length(name: string): Promise<number | undefined> {
    return this.files.get(name)?.length
  }

  async read(name: string, position: number, to: Uint8Array): Promise<void> {
    to.set(this.bytes(name).subarray(position, position + to.length))
  }

  async write(name: string, pieces: Iterable<Uint8Array>): Promise<void> {
    const copies = Array.from(pieces, (piece) => piece.slice())
    this.files.set(name, new Uint8Array(Buffer.concat(copies)))
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name)
  }

  bytes(name: string): Uint8Array {
    const bytes = this.files.get(name)
    if (bytes === undefined) throw new Error(`${name} does not exist`)
    return bytes
  }
}
