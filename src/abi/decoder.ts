/**
 * Decodes calls, errors, logs and constructor arguments with everything that is known: the contract's own ABI, the ABIs of
 * other contracts, and standard interfaces.
 * @module
 */
import { MAX_DECODED_ITEMS } from '../base/limits/limits.ts'
import { AbiIndex, type ContractItems, type Found } from './abiIndex.ts'
import type { AbiEvent, AbiItem } from './abiItem.ts'
import { type AbiType, isDynamic } from './abiType.ts'
import { type AbiValue, decodeAbi } from './abiValue.ts'
import type { Artifact } from './artifact.ts'
import { type Argument, argumentsOf, type Decoded, decodedItem, hashedArgument } from './decoded.ts'
import { standardIndex } from './standardInterfaces.ts'

/** The contract that data belong to, and the one whose code it runs: the implementation of a proxy. */
export interface NamedItems extends ContractItems {
  readonly name: string
}

const NO_CONTRACTS = new AbiIndex([])
const OPTIONS = { maxItems: MAX_DECODED_ITEMS, maxAllItems: MAX_DECODED_ITEMS }

export class Decoder {
  readonly #index: () => AbiIndex | undefined

  /** @param index of the present artifacts; undefined: there are none */
  constructor(index: () => AbiIndex | undefined) {
    this.#index = index
  }

  /** @param contracts whose ABIs come first */
  call(input: Uint8Array, contracts: readonly NamedItems[] = []): Decoded | undefined {
    return this.#decoded((index, known) => index.findCall(input, known, OPTIONS), contracts, 'functions')
  }

  /** Like `call`, for the output of a reverted message. */
  error(output: Uint8Array, contracts: readonly NamedItems[] = []): Decoded | undefined {
    return this.#decoded((index, known) => index.findError(output, known, OPTIONS), contracts, 'errors')
  }

  #decoded(
    find: (index: AbiIndex, known: readonly NamedItems[]) => Found | undefined,
    contracts: readonly NamedItems[],
    kind: 'functions' | 'errors',
  ): Decoded | undefined {
    const own = find(this.#index() ?? NO_CONTRACTS, contracts)
    const { item, values, isOfContract = false } = own ?? find(standardIndex(), []) ?? {}
    if (item === undefined || values === undefined) return undefined
    const owner = contracts.find((contract) => contract[kind].includes(item))
    const certainty = isOfContract ? 'contract' : own === undefined ? 'standard' : 'known'
    return decodedItem(item, argumentsOf(item.inputs, values, item.names), owner?.name ?? null, certainty)
  }

  /** Like `call`, for a log. */
  event(topics: readonly Uint8Array[], data: Uint8Array, contracts: readonly NamedItems[] = []): Decoded | undefined {
    const known = (this.#index() ?? NO_CONTRACTS).eventsFor(topics, contracts)
    const standard = standardIndex().eventsFor(topics, [])
    for (const [i, { item, isOfContract }] of [...known, ...standard].entries()) {
      const args = eventArguments(item, topics, data)
      if (args === undefined) continue
      const owner = contracts.find(({ events }) => events.includes(item))
      const certainty = isOfContract ? 'contract' : i < known.length ? 'known' : 'standard'
      return decodedItem({ ...item, selector: item.topic }, args, owner?.name ?? null, certainty)
    }
    return undefined
  }

  /**
   * The arguments of a constructor.
   * @param data init code with the arguments, or the arguments alone
   * @param contract that is created; default: the one whose code the data begin with
   */
  creation(data: Uint8Array, contract?: Artifact): Decoded | undefined {
    const created = this.#index()?.createdBy(data)
    const { creator, name } = created ?? contract ?? {}
    if (name === undefined) return undefined
    const item = creator ?? NO_ARGUMENTS
    const encoded = created === undefined ? data : data.subarray(created.creation?.fullLength ?? data.length)
    const values = decodeAbi(item.inputs, encoded, OPTIONS)
    if (values === undefined) return undefined
    return decodedItem(item, argumentsOf(item.inputs, values, item.names), name, 'contract')
  }
}

const NO_ARGUMENTS: AbiItem = {
  name: 'constructor',
  signature: 'constructor()',
  selector: '',
  inputs: [],
  names: [],
  isPayable: false,
}

/** @returns undefined when topics and data do not have the types of the event */
function eventArguments(
  { inputs, names, indexed, isAnonymous }: AbiEvent,
  topics: readonly Uint8Array[],
  data: Uint8Array,
): readonly Argument[] | undefined {
  const values = topics.slice(isAnonymous ? 0 : 1)
  if (values.length !== indexed.filter(Boolean).length) return undefined
  const inData = inputs.filter((_, i) => indexed[i] !== true)
  const decoded = decodeAbi(inData, data, OPTIONS)
  if (decoded === undefined) return undefined
  const args: Argument[] = []
  let topicAt = 0
  let dataAt = 0
  for (const [i, type] of inputs.entries()) {
    const name = names[i] ?? ''
    const arg =
      indexed[i] === true
        ? topicArgument(type, values[topicAt++] as Uint8Array, name)
        : argumentsOf([type], [decoded[dataAt++] as AbiValue], [name])[0]
    if (arg === undefined) return undefined
    args.push(arg)
  }
  return args
}

/** Values that do not fit a word are hashed: arrays and tuples too, even static ones. */
function topicArgument(type: AbiType, topic: Uint8Array, name: string): Argument | undefined {
  if (isDynamic(type) || type.kind === 'array' || type.kind === 'tuple') return hashedArgument(type, topic, name)
  const value = decodeAbi([type], topic)?.[0]
  const arg = value && argumentsOf([type], [value], [name])[0]
  return arg && { ...arg, indexed: true }
}
