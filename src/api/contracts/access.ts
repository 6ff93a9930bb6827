import type { Artifact } from '../../abi/artifact.ts'
import type { ContractDetails } from '../../abi/contractDetails.ts'
import { ContractKnowledge } from '../../abi/contractKnowledge.ts'
import { Deployments } from './deployments.ts'
import { ExecutionRecorder } from './executionRecorder.ts'

/** The contracts as methods know them. */
export class ContractsAccess {
  readonly knowledge: ContractKnowledge
  readonly deployments: Deployments = new Deployments()
  readonly recorder: ExecutionRecorder
  readonly #warn: (problem: string) => void

  /**
   * @param knowledge undefined: without folders
   * @param warn is called with each new problem of the folders
   */
  constructor(knowledge: ContractKnowledge | undefined, warn: (problem: string) => void) {
    this.knowledge = knowledge ?? new ContractKnowledge(undefined)
    this.#warn = warn
    this.recorder = new ExecutionRecorder(this.knowledge, warn)
  }

  /** Resolves when the folders have been read once. */
  async ready(): Promise<void> {
    if (this.knowledge.library?.isRead === false) await this.#read()
  }

  /**
   * Reads new and changed files after a contract was not found, unless that was done a short time ago.
   * @returns whether anything has changed
   */
  async refresh(): Promise<boolean> {
    const { names } = this.knowledge
    if (!names.isRefreshDue) return false
    const { index } = names
    await this.#read()
    return names.index !== index
  }

  /** Reads the files of an artifact. @returns undefined for an artifact without files */
  async details(artifact: Artifact): Promise<ContractDetails | undefined> {
    return this.knowledge.details?.of(artifact, this.#warn)
  }

  /** Reads what a debugger needs of contracts. */
  async debugged(artifacts: Iterable<Artifact>): Promise<void> {
    for (const problem of (await this.knowledge.debug?.load(artifacts)) ?? []) this.#warn(problem)
  }

  async #read(): Promise<void> {
    for (const problem of await this.knowledge.names.refresh()) this.#warn(problem)
  }
}
