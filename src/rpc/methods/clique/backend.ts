import type { CliqueAccess } from '../../../api/cliqueAccess.ts'
import { NodeError } from '../../../base/primitives/errors.ts'

export interface CliqueBackend {
  /** undefined on chains of other engines, whose endpoints do not serve these methods */
  readonly clique: CliqueAccess | undefined
}

/** @throws {NodeError} METHOD_NOT_ENABLED */
export function cliqueOf({ clique }: CliqueBackend): CliqueAccess {
  if (clique !== undefined) return clique
  throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'this chain does not use Clique')
}
