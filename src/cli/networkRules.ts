/**
 * Values of network options. They are checked even where the option has no effect: a misspelled peer is an error.
 * @module
 */

import { isNodeError } from '../base/primitives/errors.ts'
import type { NodeOptions } from '../config/options.ts'
import { parseListUrl } from '../net/p2p/discovery/dns/entries.ts'
import { parseEnode } from '../net/p2p/enode.ts'
import { hostNames, replaceHostNames } from '../net/p2p/hostNames.ts'
import { invalidOption } from './values.ts'

/** Stands in for a host name, so that the rest of the URL can be checked. */
const ANY_ADDRESS = '127.0.0.1'
const NODE_ID = /^(?:0x)?[0-9a-f]{128}$/i
const REQUIRED_BLOCK = /^(?:0x[0-9a-f]+|\d+)=(?:0x)?[0-9a-f]{64}$/i
const ADDRESS = /^(?:0x)?[0-9a-f]{40}$/i
/** A name, or an IPv4 or IPv6 address. */
const HOST = /^(?:[\w.-]+|\[?[0-9a-f:.]+\]?)$/i

/** @throws {NodeError} INVALID_OPTION naming the option and the value */
export function checkNetworkValues(options: NodeOptions): void {
  checkBootnodes(options)
  if (options['discovery-dns-url'] !== undefined) checkNodeList(options['discovery-dns-url'])
  const { 'banned-node-ids': banned, 'required-blocks': required, 'p2p-host': host } = options
  refuse('banned-node-ids', banned, NODE_ID, 'a node id of 64 bytes')
  refuse('required-blocks', required, REQUIRED_BLOCK, 'of the form number=hash, with a hash of 32 bytes')
  refuse('p2p-host', [host], HOST, 'a host name or an IP address')
  for (const name of ['permissions-nodes-contract-address', 'permissions-accounts-contract-address'] as const) {
    const address = options[name]
    if (address !== undefined) refuse(name, [address], ADDRESS, 'an address')
  }
  for (const kind of ['nodes', 'accounts'] as const) {
    if (!options[`permissions-${kind}-contract-enabled`] || options[`permissions-${kind}-contract-address`]) continue
    const subject = kind === 'nodes' ? 'node' : 'account'
    throw invalidOption(
      `No ${subject} permissioning contract address specified. Cannot enable smart contract based ${subject} permissioning: add --permissions-${kind}-contract-address.`,
    )
  }
  if (options['Xdns-update-enabled'] && !options['Xdns-enabled']) {
    throw invalidOption(
      'The `--Xdns-update-enabled` requires dns to be enabled. Either remove --Xdns-update-enabled or specify dns is enabled (--Xdns-enabled)',
    )
  }
}

function refuse(option: string, values: readonly string[], form: RegExp, expected: string): void {
  const invalid = values.find((value) => !form.test(value))
  if (invalid === undefined) return
  throw invalidOption(`Invalid value for option '--${option}': '${invalid}' is not ${expected}`)
}

/**
 * With `--Xdns-enabled`, enode URLs may contain host names.
 * @param source start of the message
 */
export function checkBootnodes(
  options: Pick<NodeOptions, 'bootnodes' | 'Xdns-enabled'>,
  source = `Invalid value for option '--bootnodes'`,
): void {
  const { bootnodes = [], 'Xdns-enabled': allowsNames } = options
  for (const url of bootnodes) {
    try {
      parseEnode(allowsNames ? replaceHostNames(url, () => ANY_ADDRESS) : url)
    } catch (error) {
      const reason = isNodeError(error) ? error.message : 'unreadable'
      const advice = !allowsNames && hostNames(url).length > 0 ? '; --Xdns-enabled allows host names' : ''
      throw invalidOption(`${source}: '${url}': ${reason}${advice}`)
    }
  }
}

export function checkNodeList(url: string, source = `Invalid value for option '--discovery-dns-url'`): void {
  try {
    parseListUrl(url)
  } catch (error) {
    const reason = isNodeError(error) ? error.message : 'unreadable'
    throw invalidOption(`${source}: '${url}': ${reason}`)
  }
}
