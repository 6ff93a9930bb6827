/**
 * Reads node lists in the DNS.
 * @see EIP-1459; devp2p, dnsdisc.md, "Client Protocol"
 * @module
 */
import { MAX_DNS_LIST_DEPTH, MAX_DNS_LIST_ENTRIES, MAX_DNS_LISTS } from '../../../../base/limits/limits.ts'
import type { Dns } from '../../../../base/ports/dns.ts'
import { type Random, randomUint32 } from '../../../../base/ports/random.ts'
import { NodeError } from '../../../../base/primitives/errors.ts'
import { LruCache } from '../../../../base/primitives/lruCache.ts'
import type { NodeRecord } from '../nodeRecord.ts'
import {
  isListRoot,
  type ListEntry,
  type ListLink,
  type ListRoot,
  matchesName,
  parseListEntry,
  parseListRoot,
  parseListUrl,
  problemOf,
} from './entries.ts'

export interface ListReading {
  readonly records: readonly NodeRecord[]
  /** One sentence for each part of the lists that could not be read, at most 16. */
  readonly problems: readonly string[]
}

const MAX_PROBLEMS = 16

/** One walk over the lists. */
interface Walk {
  readonly maxRecords: number
  readonly records: NodeRecord[]
  readonly problems: string[]
  readonly domains: Set<string>
  readonly lists: ListLink[]
  entries: number
}

export class NodeLists {
  readonly #dns: Dns
  readonly #random: Random
  readonly #start: readonly ListLink[]
  /** Verified entries by name: the text of a name never changes, so a later reading asks only for new ones. */
  readonly #entries = new LruCache<string, ListEntry>(MAX_DNS_LIST_ENTRIES)
  /** Highest sequence number seen by domain. */
  readonly #sequences = new LruCache<string, bigint>(MAX_DNS_LISTS)

  /** @throws {NodeError} INVALID_NODE_LIST when a URL is invalid */
  constructor(dns: Dns, random: Random, urls: readonly string[]) {
    this.#dns = dns
    this.#random = random
    this.#start = urls.map(parseListUrl)
  }

  /** Reads records in random order, from the lists and from those that they link to. */
  async read(maxRecords: number): Promise<ListReading> {
    const lists = [...this.#start]
    const walk: Walk = { maxRecords, records: [], problems: [], domains: new Set(), lists, entries: 0 }
    for (let list = lists.shift(); list !== undefined; list = lists.shift()) {
      if (walk.records.length >= maxRecords || walk.domains.size >= MAX_DNS_LISTS) break
      if (walk.domains.has(list.domain)) continue
      walk.domains.add(list.domain)
      await this.#readList(list, walk)
    }
    return { records: walk.records, problems: walk.problems }
  }

  async #readList(list: ListLink, walk: Walk): Promise<void> {
    try {
      const root = await this.#readRoot(list)
      await this.#readTree(list.domain, root.records, 'record', walk)
      await this.#readTree(list.domain, root.links, 'link', walk)
    } catch (error) {
      report(walk, list.domain, error)
    }
  }

  async #readRoot(list: ListLink): Promise<ListRoot> {
    const text = (await this.#dns.resolveTxt(list.domain)).find(isListRoot)
    if (text === undefined)
      throw new NodeError({ code: 'INVALID_NODE_LIST' }, 'no TXT record is the root of a node list')
    const root = parseListRoot(text, list)
    const lastSequence = this.#sequences.get(list.domain)
    // An older root could hide nodes that have joined since.
    if (lastSequence !== undefined && root.seq < lastSequence) {
      throw new NodeError(
        { code: 'INVALID_NODE_LIST' },
        `the sequence number ${root.seq} is lower than ${lastSequence}`,
      )
    }
    this.#sequences.set(list.domain, root.seq)
    return root
  }

  /** @param leaf the only kind of leaves that the tree may have */
  async #readTree(domain: string, root: string, leaf: 'record' | 'link', walk: Walk): Promise<void> {
    const stack = [{ name: root, depth: 0 }]
    const seen = new Set<string>([root])
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { name, depth } = next
      if (walk.records.length >= walk.maxRecords || walk.entries >= MAX_DNS_LIST_ENTRIES) return
      walk.entries++
      const entry = await this.#readEntry(domain, name, walk)
      if (entry?.kind === 'branch' && depth < MAX_DNS_LIST_DEPTH) {
        const children = this.#shuffled(entry.children).filter((child) => !seen.has(child))
        for (const child of children) {
          seen.add(child)
          stack.push({ name: child, depth: depth + 1 })
        }
      } else if (entry?.kind === 'record' && leaf === 'record') walk.records.push(entry.record)
      else if (entry?.kind === 'link' && leaf === 'link') walk.lists.push(entry.link)
    }
  }

  /** @returns undefined when the entry is absent or invalid, which spares the rest of the tree */
  async #readEntry(domain: string, name: string, walk: Walk): Promise<ListEntry | undefined> {
    const fullName = `${name}.${domain}`
    const cachedEntry = this.#entries.get(fullName)
    if (cachedEntry !== undefined) return cachedEntry
    try {
      const text = (await this.#dns.resolveTxt(fullName)).find((candidate) => matchesName(candidate, name))
      if (text === undefined) {
        note(walk, `${fullName}: no TXT record matches the name`)
        return undefined
      }
      const entry = parseListEntry(text)
      this.#entries.set(fullName, entry)
      return entry
    } catch (error) {
      report(walk, fullName, error)
      return undefined
    }
  }

  #shuffled(names: readonly string[]): string[] {
    const shuffled = [...names]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const other = randomUint32(this.#random) % (i + 1)
      const name = shuffled[i] as string
      shuffled[i] = shuffled[other] as string
      shuffled[other] = name
    }
    return shuffled
  }
}

function report(walk: Walk, name: string, error: unknown): void {
  note(walk, `${name}: ${problemOf(error)}`)
}

function note(walk: Walk, problem: string): void {
  if (walk.problems.length < MAX_PROBLEMS) walk.problems.push(problem)
}
