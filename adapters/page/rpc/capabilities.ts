/**
 * The abilities of the node, by `rpc_modules`, and advice for those that it lacks.
 * @module
 */

export interface Capabilities {
  /** Groups in lower case: `eth`, `debug`. Undefined: the node does not tell. */
  readonly groups: ReadonlySet<string> | undefined
  /** `isonode/v0.1.0/…`, or `anvil/isonode/v0.1.0/…` on a dev chain. Empty: the node does not tell. */
  readonly client: string
}

export const UNKNOWN: Capabilities = { groups: undefined, client: '' }

export function isIsonode({ client }: Capabilities): boolean {
  return /\bisonode\//i.test(client)
}

/** @returns false only when the node says that it lacks the group */
export function offers({ groups }: Capabilities, group: string): boolean {
  return groups?.has(group) ?? true
}

/** Methods whose group is not their prefix. */
const GROUPS: Readonly<Record<string, string>> = { erigon: 'ots', evm: 'dev', hardhat: 'dev', anvil: 'dev' }

/** `debug` for `debug_traceTransaction`. */
function groupOf(method: string): string {
  const prefix = method.split('_', 1)[0] as string
  return GROUPS[prefix] ?? prefix
}

/** A sentence for people: why a method is missing, and the option that allows it. */
export function refusalAdvice(capabilities: Capabilities, method: string): string {
  const group = groupOf(method)
  const isGroupOn = capabilities.groups?.has(group) ?? true
  if (!isIsonode(capabilities) || isGroupOn) return `This node has no method ${method}.`
  if (group === 'dev') return `${method} exists on the dev chain only: start the node with --network=dev.`
  return `The node does not offer ${method}. Start it with --rpc-http-api=…,${group.toUpperCase()} to allow it.`
}
