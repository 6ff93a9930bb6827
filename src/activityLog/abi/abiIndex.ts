/**
 * Finds contracts by their code, and functions, errors and events by their selectors.
 * @module
 */
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { type AbiValue, abiText, decodeAbi } from './abiValue.ts'
import type { AbiItem, Artifact } from './artifact.ts'
import { type CodePattern, withoutMetadata } from './codePattern.ts'

const SELECTOR_BYTES = 4
/** Maximum number of contracts of one length, and of items with one selector, that are tried. */
const MAX_CANDIDATES = 64
const MAX_SAME_SELECTOR = 4

export class AbiIndex {
  readonly artifacts: readonly Artifact[]
  readonly #byLength = new Map<number, Artifact[]>()
  readonly #functions = new Map<string, AbiItem[]>()
  readonly #errors = new Map<string, AbiItem[]>()
  readonly #events = new Map<string, string>()

  constructor(artifacts: readonly Artifact[]) {
    this.artifacts = artifacts
    for (const artifact of artifacts) {
      if (artifact.runtime !== undefined) addTo(this.#byLength, artifact.runtime.length, artifact, MAX_CANDIDATES)
      for (const item of artifact.functions) addItem(this.#functions, item)
      for (const item of artifact.errors) addItem(this.#errors, item)
      for (const [topic, name] of artifact.events) this.#events.set(topic, name)
    }
  }

  /** @param code of an account */
  contract(code: Uint8Array): Artifact | undefined {
    const stripped = withoutMetadata(code)
    return this.#byLength.get(stripped.length)?.find(({ runtime }) => runtime?.matches(stripped))
  }

  /** @param initCode with the constructor's arguments */
  createdBy(initCode: Uint8Array): Artifact | undefined {
    return this.artifacts.find(({ creation }) => (creation as CodePattern | undefined)?.matchesStart(initCode) === true)
  }

  /**
   * The call of a function, such as `transfer(0xabc…, 5)`.
   * @param contract whose functions are preferred
   * @returns undefined for an unknown selector
   */
  call(input: Uint8Array, contract: Artifact | undefined): string | undefined {
    return textOf(input, [...(contract?.functions ?? []), ...this.#candidates(this.#functions, input)], false)
  }

  /** A custom error with the names of its arguments. */
  error(output: Uint8Array, contract: Artifact | undefined): string | undefined {
    return textOf(output, [...(contract?.errors ?? []), ...this.#candidates(this.#errors, output)], true)
  }

  event(topic: Uint8Array | undefined): string | undefined {
    return topic && this.#events.get(bytesToHexUnprefixed(topic))
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

function addItem(map: Map<string, AbiItem[]>, item: AbiItem): void {
  const isKnown = map.get(item.selector)?.some(({ signature }) => signature === item.signature)
  if (isKnown !== true) addTo(map, item.selector, item, MAX_SAME_SELECTOR)
}

/** The first item with the data's selector whose types fit the data; if none fits, the item without arguments. */
function textOf(data: Uint8Array, items: readonly AbiItem[], isNamed: boolean): string | undefined {
  if (data.length < SELECTOR_BYTES) return undefined
  const selector = selectorOf(data)
  const matching = items.filter((item) => item.selector === selector)
  for (const { name, inputs, names } of matching) {
    const values = decodeAbi(inputs, data.subarray(SELECTOR_BYTES))
    if (values !== undefined) return `${name}(${argumentTexts(values, isNamed ? names : []).join(', ')})`
  }
  return matching[0]?.signature
}

function argumentTexts(values: readonly AbiValue[], names: readonly string[]): string[] {
  return values.map((value, i) => (names[i] ? `${names[i]}: ${abiText(value)}` : abiText(value)))
}
