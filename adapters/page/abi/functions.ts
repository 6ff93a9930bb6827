/**
 * Functions of an ABI: what they are called with and what they return.
 * @module
 */
import { type AbiType, abiTypes, canonicalName } from '../../../src/abi/abiType.ts'
import { abiText, decodeAbi } from '../../../src/abi/abiValue.ts'
import { type AbiInput, encodeAbi } from '../../../src/abi/encodeAbi.ts'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { isData } from '../format/hex.ts'
import type { AbiEntry } from '../rpc/isonode.ts'

export interface AbiFunction {
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly signature: string
  readonly selector: string
  readonly inputs: readonly { readonly name: string; readonly type: AbiType }[]
  readonly outputs: readonly { readonly name: string; readonly type: AbiType }[]
  readonly isRead: boolean
  readonly isPayable: boolean
}

/** Of a hostile ABI, functions with types that are not known, and those beyond a bound, are left out. */
const MAX_FUNCTIONS = 1000

export function functionsOf(abi: readonly AbiEntry[]): AbiFunction[] {
  const functions: AbiFunction[] = []
  for (const entry of abi) {
    if (functions.length >= MAX_FUNCTIONS) break
    const found = entry.type === 'function' ? functionOf(entry) : undefined
    if (found !== undefined) functions.push(found)
  }
  return functions
}

function functionOf({ name = '', inputs = [], outputs = [], stateMutability }: AbiEntry): AbiFunction | undefined {
  const [inputTypes, outputTypes] = [abiTypes(inputs), abiTypes(outputs)]
  if (inputTypes === undefined || outputTypes === undefined) return undefined
  const signature = `${name}(${inputTypes.map(canonicalName).join()})`
  return {
    name,
    signature,
    selector: bytesToHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4)),
    inputs: inputTypes.map((type, i) => ({ name: inputs[i]?.name ?? '', type })),
    outputs: outputTypes.map((type, i) => ({ name: outputs[i]?.name ?? '', type })),
    isRead: stateMutability === 'view' || stateMutability === 'pure',
    isPayable: stateMutability === 'payable',
  }
}

/** @returns calldata in hex */
export function encodeCall(
  { selector, inputs }: Pick<AbiFunction, 'selector' | 'inputs'>,
  values: readonly AbiInput[],
): string {
  return bytesToHex(
    concatBytes(
      hexToBytes(selector.slice(2)),
      encodeAbi(
        inputs.map(({ type }) => type),
        values,
      ),
    ),
  )
}

/** @returns one text for each output; undefined when the data have another form */
export function outputTexts({ outputs }: AbiFunction, data: string): string[] | undefined {
  if (!isData(data)) return undefined
  return decodeAbi(
    outputs.map(({ type }) => type),
    hexToBytes(data.slice(2)),
  )?.map(abiText)
}
