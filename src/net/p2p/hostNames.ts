/**
 * Host names in enode URLs, which are replaced by addresses before the URLs are parsed.
 * @module
 */
import { bracketed } from '../../base/primitives/hostPort.ts'
import { parseIp } from '../../base/primitives/ipAddress.ts'

/** Up to the port; in a URL list or a JSON file. */
const ENODE_HOST = /(enode:\/\/[0-9a-f]+@)([a-z0-9](?:[\w.-]{0,251}[a-z0-9])?)(?=:\d)/gi

/** @returns the host names of the enode URLs in a text, each once */
export function hostNames(text: string): readonly string[] {
  const hosts = Array.from(text.matchAll(ENODE_HOST), ([, , host = '']) => host)
  return [...new Set(hosts)].filter((host) => parseIp(host) === undefined)
}

/** @param addressOf IPv4, or IPv6 without brackets; undefined: the host is unchanged */
export function replaceHostNames(text: string, addressOf: (name: string) => string | undefined): string {
  return text.replace(ENODE_HOST, (_, start: string, host: string) => {
    const address = addressOf(host) ?? host
    return `${start}${bracketed(address)}`
  })
}
