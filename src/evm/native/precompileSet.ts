import { bytesToHexUnprefixed, tryHexToBytes } from '../../base/primitives/bytes.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { DevEnvironment } from '../evm.ts'
import { type Precompile, precompileAt } from '../precompiles/index.ts'
import { withSigners } from '../precompiles/signers.ts'

const ADDRESS_BYTES = 20

/** The precompile at an address; undefined when there is none. */
export type PrecompileSet = (address: Uint8Array) => Precompile | undefined

/**
 * @param moved see `ExecutionEnvironment.movedPrecompiles`
 * @param dev see `BlockEnvironment.dev`
 */
export function precompileSet(
  rules: ForkRules,
  moved: ReadonlyMap<string, string> | undefined,
  dev: DevEnvironment | undefined,
): PrecompileSet {
  const set = movedSet(rules, moved)
  if (dev === undefined || dev.signers.size === 0) return set
  return (address) => {
    const precompile = set(address)
    return precompile?.name === 'ECREC' ? withSigners(precompile, dev.signers) : precompile
  }
}

function movedSet(rules: ForkRules, moved: ReadonlyMap<string, string> | undefined): PrecompileSet {
  if (moved === undefined) return (address) => precompileAt(address, rules)
  const changed = new Map<string, Precompile | undefined>()
  for (const original of moved.values()) changed.set(unprefixed(original), undefined)
  for (const [target, original] of moved) {
    const address = tryHexToBytes(original)
    const precompile = address?.length === ADDRESS_BYTES ? precompileAt(address, rules) : undefined
    if (precompile !== undefined) changed.set(unprefixed(target), precompile)
  }
  return (address) => {
    const key = bytesToHexUnprefixed(address)
    return changed.has(key) ? changed.get(key) : precompileAt(address, rules)
  }
}

function unprefixed(address: string): string {
  return (address.startsWith('0x') ? address.slice(2) : address).toLowerCase()
}
