/**
 * The parts of the compiler's output that a debugger uses: syntax trees, layouts of storage, and how the code was generated.
 * @module
 */
import { AstIndex } from '../layout/astIndex.ts'
import { type AstNode, nodeOf } from '../layout/astNodes.ts'
import { AstTypes } from '../layout/astTypes.ts'
import { computeLayout, type LayoutTrees, readLayout } from '../layout/storageLayout.ts'
import type { SourceFile } from '../source/sourceFile.ts'
import type { CodeGenerator, DebugContract } from './debugContract.ts'

/** The parts of a compilation, as JSON has them. */
export interface BuildParts {
  readonly files: ReadonlyMap<number, SourceFile>
  /** Syntax trees of the sources; undefined where there is none. */
  readonly trees: readonly unknown[]
  /** `settings` of the compiler's input. */
  readonly settings: unknown
}

/** One contract of the compilation. */
export interface ContractParts {
  readonly name: string
  /** Number of its source; undefined: not known */
  readonly file: number | undefined
  readonly storageLayout: unknown
  readonly transientStorageLayout: unknown
}

export class DebugBuild {
  readonly #files: ReadonlyMap<number, SourceFile>
  readonly #trees: LayoutTrees | undefined
  readonly #generator: CodeGenerator

  constructor({ files, trees, settings }: BuildParts) {
    this.#files = files
    const present = trees.filter((tree) => nodeOf(tree) !== undefined)
    const index = present.length === 0 ? undefined : new AstIndex(present)
    this.#trees = index && { index, types: new AstTypes(index) }
    this.#generator = generatorOf(nodeOf(settings))
  }

  contract({ name, file, storageLayout, transientStorageLayout }: ContractParts): DebugContract {
    const trees = this.#trees
    const contract = trees?.index.contractNamed(name, file)
    const written = readLayout({ storage: storageLayout, transient: transientStorageLayout }, trees)
    const computed = trees && contract && written === undefined ? computeLayout(contract, trees) : undefined
    return { name, files: this.#files, trees, contract, layout: written ?? computed, generator: this.#generator }
  }
}

/** Settings that are not known may change the stack. */
function generatorOf(settings: AstNode | undefined): CodeGenerator {
  if (settings === undefined) return 'unknown'
  const optimizer = nodeOf(settings['optimizer'])
  if (settings['viaIR'] === true) return 'ir'
  if (optimizer?.['enabled'] === true) return 'optimised'
  return optimizer?.['details'] === undefined ? 'legacy' : 'unknown'
}
