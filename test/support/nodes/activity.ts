/** The log of a dev chain in memory, and artifacts for its names. */
import type { ActivityHost, Report } from '../../../src/activityLog/output.ts'
import type { ArtifactFolder } from '../../../src/base/ports/artifactFolder.ts'
import { compileContract } from '../evm/solidity.ts'

export interface RecordedActivity {
  readonly host: ActivityHost
  readonly reports: Report[]
  /** The text that was printed since the last call, without colours. */
  take(): string
  isOn: boolean
  isBehind: boolean
}

export function recordActivity(files: ReadonlyMap<string, string> = new Map()): RecordedActivity {
  const reports: Report[] = []
  const activity: RecordedActivity = {
    isOn: true,
    isBehind: false,
    reports,
    host: {
      output: {
        get isOn() {
          return activity.isOn
        },
        get isBehind() {
          return activity.isBehind
        },
        write: (list) => reports.push(...list),
      },
      artifacts: files.size === 0 ? [] : [folderOf(files)],
    },
    take: () => {
      const taken = reports.splice(0)
      return taken.map((report) => report.text((_, text) => text)).join('\n')
    },
  }
  return activity
}

/** Files that change with the map; a file is new when its text is. */
export function folderOf(
  files: ReadonlyMap<string, string>,
  name = 'out',
  sources: ReadonlyMap<string, Uint8Array> = new Map(),
): ArtifactFolder {
  let encoded: { readonly text: string; readonly bytes: Uint8Array } | undefined
  return {
    name,
    files: async (max) =>
      [...files].slice(0, max).map(([path, text]) => ({ path, size: text.length, modifiedMs: text.length })),
    read: async (path) => files.get(path),
    slice: async (path, start, end) => {
      const text = files.get(path)
      if (text !== undefined && encoded?.text !== text) encoded = { text, bytes: new TextEncoder().encode(text) }
      return text === undefined ? undefined : encoded?.bytes.subarray(start, end)
    },
    source: async (path) => sources.get(path),
  }
}

/** The file that Hardhat writes for a contract. */
export function hardhatArtifact(contractName: string, sourceName: string): string {
  const { abi, bytecode, deployedBytecode } = compileContract(contractName, sourceName)
  return JSON.stringify({ _format: 'hh-sol-artifact-1', contractName, sourceName, abi, bytecode, deployedBytecode })
}

/** The file that Foundry writes for a contract. */
export function foundryArtifact(contractName: string, sourceName: string): string {
  const { abi, bytecode, deployedBytecode, sourceMap } = compileContract(contractName, sourceName)
  return JSON.stringify({
    abi,
    bytecode: { object: bytecode, linkReferences: {} },
    deployedBytecode: { object: deployedBytecode, sourceMap, linkReferences: {} },
    metadata: { settings: { compilationTarget: { [sourceName]: contractName } } },
    id: 0,
  })
}
