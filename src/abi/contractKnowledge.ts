import type { AbiLibrary } from './abiLibrary.ts'
import { DetailsReader } from './contractDetails.ts'
import { ContractNames } from './contractNames.ts'
import { DebugLibrary } from './debug/debugLibrary.ts'
import { Decoder } from './decoder.ts'
import { SourceLibrary } from './source/sourceLibrary.ts'

/** Everything that the node knows of contracts. The log, the answers to failed calls and the methods share it. */
export class ContractKnowledge {
  /** undefined without `--abi`, like the three that follow */
  readonly library: AbiLibrary | undefined
  readonly sources: SourceLibrary | undefined
  readonly details: DetailsReader | undefined
  readonly debug: DebugLibrary | undefined
  readonly names: ContractNames
  readonly decoder: Decoder

  constructor(library: AbiLibrary | undefined) {
    this.library = library
    this.sources = library && new SourceLibrary(library)
    this.details = library && this.sources && new DetailsReader(library, this.sources)
    this.names = new ContractNames(library)
    this.debug = this.sources && new DebugLibrary(this.names, this.sources)
    this.decoder = new Decoder(() => this.names.index)
  }
}
