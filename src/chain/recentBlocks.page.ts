/** A page keeps no blocks for searches: its store is in memory. */
export class RecentBlocks {
  read(): undefined {}

  hashes(): undefined {}
}
