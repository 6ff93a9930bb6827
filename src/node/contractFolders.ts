/**
 * The folders of `--abi` as a part of the node.
 * @module
 */
import { AbiLibrary } from '../abi/abiLibrary.ts'
import { ContractKnowledge } from '../abi/contractKnowledge.ts'
import type { ActivityHost } from '../activityLog/output.ts'
import type { Logger } from '../base/ports/host.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'

export function openKnowledge({ clock, yieldToHost }: NodeHost, { artifacts }: ActivityHost): ContractKnowledge {
  const options = { folders: artifacts, clock, yieldToHost }
  return new ContractKnowledge(artifacts.length === 0 ? undefined : new AbiLibrary(options))
}

/**
 * Reads the folders at the start of the node.
 * @param reader what names their contracts, for a message
 * @returns undefined without folders
 */
export function contractFolders(
  { library }: ContractKnowledge,
  note: Pick<Logger, 'info' | 'warn'>,
  reader: 'the log names' | 'methods name',
): Lifecycle | undefined {
  if (library === undefined) return undefined
  const read = async (): Promise<void> => {
    for (const problem of await library.refresh()) note.warn(problem)
    const count = library.index.artifacts.length
    note.info(`${reader} ${count} ${count === 1 ? 'contract' : 'contracts'} of --abi`)
  }
  return { name: 'folders of contracts', start: () => void read(), stop: () => {} }
}
