import { describe, expect, it } from 'vitest'
import { isRepeatable, kindOf, type MethodKind } from '../../../../../adapters/browser/sharing/methodKind.ts'
import { devMethods } from '../../../../../src/rpc/methods/dev/index.ts'
import { METHODS } from '../../../../../src/rpc/methods/index.ts'

const NAMES = [...METHODS, ...devMethods].flatMap(({ name, aliases = [] }) => [name, ...aliases])
/** Words in the names of methods that change something. */
const CHANGING = /send|submit|set[A-Z]|mine(?!r)|import|revert|reset|rollback|drop|remove|increase|impersonate/i
/** Methods with such a name that may be done again: with the same result, or because no node in a page has them. */
const HARMLESS = ['eth_sendRawTransaction', 'eth_submitHashrate', 'isonode_setFailOnRevert', 'eea_sendRawTransaction']

describe('the kind of a method', () => {
  it.each([
    ['eth_call', 'read'],
    ['eth_sendRawTransaction', 'raw'],
    ['eth_sendTransaction', 'send'],
    ['eth_sendTransactionSync', 'sendAndWait'],
    ['evm_mine', 'blocks'],
    ['anvil_mine_detailed', 'blocks'],
    ['evm_revert', 'blocks'],
    ['anvil_reorg', 'blocks'],
    ['anvil_setBalance', 'change'],
    ['anvil_getAutomine', 'read'],
    ['personal_sign', 'read'],
    ['toString', 'read'],
  ] satisfies [string, MethodKind][])('%s: %s', (method, kind) => {
    expect(kindOf(method)).toBe(kind)
  })

  it('lets no method that changes the chain be done again', () => {
    const repeated = NAMES.filter((name) => CHANGING.test(name) && !name.includes('_get') && isRepeatable(kindOf(name)))
    expect(repeated.filter((name) => !HARMLESS.includes(name))).toEqual([])
  })
})
