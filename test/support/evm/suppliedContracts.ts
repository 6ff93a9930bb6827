/** Code that is not part of the package, from packages in `.cache/bundlers4337`. */
import { readFileSync } from 'node:fs'
import { type Hex, parseTransaction } from 'viem'
import { installedTools } from '../host/tools.ts'

/** Folder of the packages; undefined when they are not installed. */
export const SUPPLIED_FOLDER: string | undefined = installedTools('bundlers4337')

export const ENTRY_POINTS = ['entrypoint-0.6', 'entrypoint-0.7', 'entrypoint-0.8'] as const

export interface Artifact {
  readonly abi: readonly unknown[]
  readonly bytecode: Hex
}

/** @param version of EntryPoint, such as `0.7`; @param contract of its package */
export function accountAbstractionArtifact(version: string, contract: string): Artifact {
  const file = `${SUPPLIED_FOLDER}/node_modules/entrypoint-${version}/artifacts/${contract}.json`
  return JSON.parse(readFileSync(file, 'utf8')) as Artifact
}

/** The creation code of CreateX, from the transaction that creates it on public networks. */
export function createXCode(): Hex {
  const file = `${SUPPLIED_FOLDER}/node_modules/@nomicfoundation/ignition-core/dist/src/internal/execution/strategy/createx-artifact.js`
  const [, transaction] = /presignedTx = "(0x[0-9a-f]+)"/.exec(readFileSync(file, 'utf8')) ?? []
  return parseTransaction(transaction as Hex).data as Hex
}
