/**
 * A debugger's knowledge of a contract.
 * @module
 */
import type { AstContract } from '../layout/astIndex.ts'
import type { LayoutTrees, StorageLayout } from '../layout/storageLayout.ts'
import type { SourceFile } from '../source/sourceFile.ts'
import type { SourceMap } from '../source/sourceMap.ts'

/** How the code was generated: only the legacy code generator without the optimiser has a known layout of the stack. */
export type CodeGenerator = 'legacy' | 'optimised' | 'ir' | 'unknown'

export interface DebugContract {
  /** Of the artifact. */
  readonly name: string
  readonly files: ReadonlyMap<number, SourceFile>
  /** undefined: the build information has no syntax trees */
  readonly trees: LayoutTrees | undefined
  readonly contract: AstContract | undefined
  readonly layout: StorageLayout | undefined
  readonly generator: CodeGenerator
}

/** A contract with the source map of the code that runs. */
export interface DebugCode {
  readonly contract: DebugContract
  readonly map: SourceMap | undefined
}

export interface DebugKnowledge {
  /** @returns undefined for code that matches no contract */
  codeOf(code: Uint8Array, isCreation: boolean): DebugCode | undefined
}
