/**
 * Finds contracts by their code, and functions, errors and events by their selectors. Of contracts with the same code, the one with the
 * same metadata is found.
 * @module
 */
import { bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import type { AbiEvent, AbiItem, AbiItems } from './abiItem.ts'
import { type AbiValue, abiText, type DecodeOptions, decodeAbi } from './abiValue.ts'
import type { Artifact } from './artifact.ts'
import { withoutMetadata } from './codePattern.ts'

const SELECTOR_BYTES = 4
/** Maximum number of contracts of one length, and of items with one selector, that are tried. */
const MAX_CANDIDATES = 64
const MAX_SAME_SELECTOR = 4

/** The functions, errors and events of one contract. */
export type ContractItems = Pick<AbiItems, 'functions' | 'errors' | 'events'>

/** An item whose types fit the data. */
export interface Found<I extends AbiItem = AbiItem> {
  readonly item: I
  /** One for each input. */
  readonly values: readonly AbiValue[]
  /** Whether the item is one of the given contracts. */
  readonly isOfContract: boolean
}

export class AbiIndex {
  readonly artifacts: readonly Artifact[]
  readonly #byLength = new Map<number, Artifact[]>()
  readonly #functions = new Map<string, AbiItem[]>()
  readonly #errors = new Map<string, AbiItem[]>()
  readonly #events = new Map<string, AbiEvent[]>()

  /** @param others further contracts, without code */
  constructor(artifacts: readonly Artifact[], others: readonly ContractItems[] = []) {
    this.artifacts = artifacts
    for (const artifact of artifacts) {
      if (artifact.runtime !== undefined) addTo(this.#byLength, artifact.runtime.length, artifact, MAX_CANDIDATES)
    }
    for (const { functions, errors, events } of [...artifacts, ...others]) {
      for (const item of functions) addItem(this.#functions, item.selector, item)
      for (const item of errors) addItem(this.#errors, item.selector, item)
      for (const item of events) addItem(this.#events, item.topic, item)
    }
  }

  /** @param code of an account */
  contract(code: Uint8Array): Artifact | undefined {
    const stripped = withoutMetadata(code)
    const alike = this.#byLength.get(stripped.length)?.filter(({ runtime }) => runtime?.matches(stripped)) ?? []
    return alike.find(({ runtime }) => runtime?.hasMetadataOf(code)) ?? alike[0]
  }

  /** @param initCode with the constructor's arguments */
  createdBy(initCode: Uint8Array): Artifact | undefined {
    const alike = this.artifacts.filter(({ creation }) => creation?.matchesStart(initCode) === true)
    return alike.find(({ creation }) => creation?.hasMetadataOf(initCode)) ?? alike[0]
  }

  /**
   * The call of a function, such as `transfer(0xabc…, 5)`.
   * @param contract whose functions are preferred
   * @returns undefined for an unknown selector
   */
  call(input: Uint8Array, contract: ContractItems | undefined): string | undefined {
    return textOf(input, [...(contract?.functions ?? []), ...this.#candidates(this.#functions, input)], false)
  }

  /** A custom error with the names of its arguments. */
  error(output: Uint8Array, contract: ContractItems | undefined): string | undefined {
    return textOf(output, [...(contract?.errors ?? []), ...this.#candidates(this.#errors, output)], true)
  }

  event(topic: Uint8Array | undefined): string | undefined {
    return topic && this.#events.get(bytesToHexUnprefixed(topic))?.[0]?.name
  }

  /** Like `call`, with the values of the arguments. @param contracts whose functions are preferred, in this order */
  findCall(input: Uint8Array, contracts: readonly ContractItems[], options?: DecodeOptions): Found | undefined {
    const own = contracts.flatMap(({ functions }) => functions)
    return firstFit(input, own, this.#candidates(this.#functions, input), options)
  }

  /** Like `findCall`, for the output of a reverted message. */
  findError(output: Uint8Array, contracts: readonly ContractItems[], options?: DecodeOptions): Found | undefined {
    const own = contracts.flatMap(({ errors }) => errors)
    return firstFit(output, own, this.#candidates(this.#errors, output), options)
  }

  /**
   * Events that a log with these topics may be of, the most likely first. Anonymous events are known only of the
   * contracts.
   */
  eventsFor(
    topics: readonly Uint8Array[],
    contracts: readonly ContractItems[],
  ): readonly { readonly item: AbiEvent; readonly isOfContract: boolean }[] {
    const topic = topics[0] && bytesToHexUnprefixed(topics[0])
    const own = contracts.flatMap(({ events }) => events)
    const named = own.filter((event) => !event.isAnonymous && event.topic === topic)
    const known = ((topic && this.#events.get(topic)) || []).filter((event) => !event.isAnonymous)
    const anonymous = own.filter((event) => event.isAnonymous)
    return [
      ...named.map((item) => ({ item, isOfContract: true })),
      ...known.map((item) => ({ item, isOfContract: false })),
      ...anonymous.map((item) => ({ item, isOfContract: true })),
    ]
  }

  #candidates(map: ReadonlyMap<string, AbiItem[]>, data: Uint8Array): readonly AbiItem[] {
    return map.get(selectorOf(data)) ?? []
  }
}

function selectorOf(data: Uint8Array): string {
  return bytesToHexUnprefixed(data.subarray(0, SELECTOR_BYTES))
}

function addTo<K, V>(map: Map<K, V[]>, key: K, value: V, limit: number): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else if (list.length < limit) list.push(value)
}

function addItem<I extends AbiItem>(map: Map<string, I[]>, key: string, item: I): void {
  const isKnown = map.get(key)?.some((known) => known.signature === item.signature && hasSameTopics(known, item))
  if (isKnown !== true) addTo(map, key, item, MAX_SAME_SELECTOR)
}

/** ERC-20 and ERC-721 have an event with one signature and different topics. */
function hasSameTopics(a: Partial<AbiEvent>, b: Partial<AbiEvent>): boolean {
  return a.indexed?.join() === b.indexed?.join()
}

/** The first item with the data's selector whose types fit the data; if none fits, the item without arguments. */
function textOf(data: Uint8Array, items: readonly AbiItem[], isNamed: boolean): string | undefined {
  const found = firstFit(data, items, [])
  if (found !== undefined) {
    const { item, values } = found
    return `${item.name}(${argumentTexts(values, isNamed ? item.names : []).join(', ')})`
  }
  return data.length < SELECTOR_BYTES
    ? undefined
    : items.find(({ selector }) => selector === selectorOf(data))?.signature
}

function firstFit(
  data: Uint8Array,
  own: readonly AbiItem[],
  others: readonly AbiItem[],
  options?: DecodeOptions,
): Found | undefined {
  if (data.length < SELECTOR_BYTES) return undefined
  const selector = selectorOf(data)
  const firstOf = (items: readonly AbiItem[], isOfContract: boolean): Found | undefined => {
    for (const item of items) {
      if (item.selector !== selector) continue
      const values = decodeAbi(item.inputs, data.subarray(SELECTOR_BYTES), options)
      if (values !== undefined) return { item, values, isOfContract }
    }
    return undefined
  }
  return firstOf(own, true) ?? firstOf(others, false)
}

function argumentTexts(values: readonly AbiValue[], names: readonly string[]): string[] {
  return values.map((value, i) => (names[i] ? `${names[i]}: ${abiText(value)}` : abiText(value)))
}
