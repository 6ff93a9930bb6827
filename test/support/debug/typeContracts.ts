/** Contracts that use one type as state, parameter, result, local variable, member and item. */
import { type AbiParameter, encodeAbiParameters } from 'viem'

export interface TypeContract {
  readonly type: string
  readonly source: string
  /** Whether the legacy code generator cannot copy the type. */
  readonly needsIR: boolean
  /** The message to `run`. */
  readonly call: `0x${string}`
}

interface Case {
  readonly type: string
  readonly abi: AbiParameter | string
  readonly values: readonly unknown[]
}

const LONG = 'long text '.repeat(12)
const ADDRESS = '0x00112233445566778899AaBbCcDdEeFf00112233'.toLowerCase()
const PAIR: AbiParameter = {
  name: 'x',
  type: 'tuple',
  components: [
    { name: 'a', type: 'int16' },
    { name: 'b', type: 'bool' },
    { name: 'c', type: 'uint256' },
  ],
}
const ENTRY: AbiParameter = {
  name: 'x',
  type: 'tuple',
  components: [
    { name: 'label', type: 'string' },
    { name: 'at', type: 'address' },
    { name: 'list', type: 'uint32[]' },
    { ...PAIR, name: 'pair' },
  ],
}
const PAIR_VALUE = { a: -7, b: true, c: 9n }
const ENTRY_VALUE = { label: LONG, at: ADDRESS, list: [1, 2, 3], pair: PAIR_VALUE }

const CASES: readonly Case[] = [
  ...[8, 16, 72, 128, 248, 256].map((bits) => ({
    type: `uint${bits}`,
    abi: `uint${bits}`,
    values: [0n, 2n ** BigInt(bits) - 1n],
  })),
  ...[8, 24, 128, 256].map((bits) => ({
    type: `int${bits}`,
    abi: `int${bits}`,
    values: [-1n, -(2n ** BigInt(bits - 1))],
  })),
  { type: 'bool', abi: 'bool', values: [true, false] },
  { type: 'address', abi: 'address', values: [ADDRESS] },
  { type: 'address payable', abi: 'address', values: [ADDRESS] },
  ...[1, 5, 31, 32].map((size) => ({ type: `bytes${size}`, abi: `bytes${size}`, values: [`0x${'a1'.repeat(size)}`] })),
  { type: 'Colour', abi: 'uint8', values: [2] },
  { type: 'Other', abi: 'address', values: [ADDRESS] },
  { type: 'Price', abi: 'uint128', values: [5n] },
  { type: 'Delta', abi: 'int40', values: [-5n] },
  { type: 'function(uint256) external returns (bool)', abi: 'bytes24', values: [`${ADDRESS}01020304`] },
  { type: 'string', abi: 'string', values: ['', 'short', 'x'.repeat(31), 'x'.repeat(32), LONG] },
  { type: 'bytes', abi: 'bytes', values: ['0x', '0x01', `0x${'02'.repeat(70)}`] },
  { type: 'uint8[]', abi: 'uint8[]', values: [[], [1, 2, 3], Array.from({ length: 40 }, (_, i) => i)] },
  { type: 'uint256[]', abi: 'uint256[]', values: [[1n, 2n]] },
  { type: 'int40[]', abi: 'int40[]', values: [[-1n, 5n, -9n, 4n, 3n, 2n, 1n]] },
  { type: 'bool[]', abi: 'bool[]', values: [[true, false, true]] },
  { type: 'bytes3[]', abi: 'bytes3[]', values: [['0x010203', '0x040506']] },
  { type: 'string[]', abi: 'string[]', values: [['a', LONG, '']] },
  { type: 'bytes[]', abi: 'bytes[]', values: [['0x', `0x${'03'.repeat(33)}`]] },
  { type: 'Colour[]', abi: 'uint8[]', values: [[0, 1, 2]] },
  { type: 'uint16[5]', abi: 'uint16[5]', values: [[1, 2, 3, 4, 5]] },
  { type: 'uint128[3]', abi: 'uint128[3]', values: [[1n, 2n, 3n]] },
  { type: 'uint248[2]', abi: 'uint248[2]', values: [[1n, 2n]] },
  { type: 'address[2][]', abi: 'address[2][]', values: [[[ADDRESS, ADDRESS]]] },
  {
    type: 'uint256[3][2]',
    abi: 'uint256[3][2]',
    values: [
      [
        [1n, 2n, 3n],
        [4n, 5n, 6n],
      ],
    ],
  },
  { type: 'uint8[][]', abi: 'uint8[][]', values: [[[1], [], [2, 3]]] },
  { type: 'uint8[][2]', abi: 'uint8[][2]', values: [[[1], [2, 3]]] },
  { type: 'Pair', abi: PAIR, values: [PAIR_VALUE] },
  { type: 'Entry', abi: ENTRY, values: [ENTRY_VALUE] },
  { type: 'Pair[]', abi: { ...PAIR, type: 'tuple[]' }, values: [[PAIR_VALUE, PAIR_VALUE]] },
  { type: 'Pair[2]', abi: { ...PAIR, type: 'tuple[2]' }, values: [[PAIR_VALUE, PAIR_VALUE]] },
  { type: 'Entry[]', abi: { ...ENTRY, type: 'tuple[]' }, values: [[ENTRY_VALUE, ENTRY_VALUE]] },
]

const NEEDS_IR = /^(?:Pair|Entry|string|bytes)\[|\[\]\[/
const REFERENCES = /^(?:string|bytes|Pair|Entry)$|\]$/

export function typeContracts(): TypeContract[] {
  return CASES.flatMap(({ type, abi, values }) =>
    values.map((value) => {
      const parameter = typeof abi === 'string' ? { name: 'x', type: abi } : abi
      const data = encodeAbiParameters([{ type: 'uint256' }, parameter, { type: 'bool' }], [3n, value, true])
      return { type, needsIR: NEEDS_IR.test(type), source: sourceOf(type), call: `0xaabbccdd${data.slice(2)}` }
    }),
  )
}

/** `run` has its selector by a fallback that passes the call on, so that the type's name in signatures does not matter. */
function sourceOf(type: string): string {
  const memory = REFERENCES.test(type) ? ' memory' : ''
  const calldata = REFERENCES.test(type) ? ' calldata' : ''
  const storage = REFERENCES.test(type) ? ' storage' : ''
  return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
type Price is uint128;
type Delta is int40;
enum Colour { Red, Green, Blue }
struct Pair { int16 a; bool b; uint256 c; }
struct Entry { string label; address at; uint32[] list; Pair pair; }
struct Holder { uint8 before; ${type} inside; bool last; }
interface Other { function f() external; }

contract Base {
    uint8 low = 1;
    ${type} first;
    uint16 high = 2;
}

contract Types is Base {
    ${type} state;
    ${type}[] list;
    ${type}[3] three;
    Holder holder;
    bool end = true;

    function run(uint256 n, ${type}${calldata} given, bool flag) external returns (${type}${memory} made, uint256 sum) {
        ${type}${memory} local = given;
        first = local;
        state = given;
        list.push(local);
        three[1] = given;
        holder.before = uint8(n);
        holder.inside = local;
        holder.last = flag;
        Holder memory copied = holder;
        sum = n + copied.before;
        made = inner(given, local, state);
        end = !flag;
    }

    function inner(${type}${calldata} a, ${type}${memory} b, ${type}${storage} c) internal returns (${type}${memory} d) {
        ${type}${storage} pointer = c;
        d = pointer;
        ${type}${memory} back = b;
        d = back;
        d = a;
    }

    fallback(bytes calldata input) external returns (bytes memory) {
        (bool isDone, bytes memory output) = address(this).delegatecall(abi.encodePacked(this.run.selector, input[4:]));
        require(isDone);
        return output;
    }
}
`
}
