/** Contracts that fail in many ways at many places: each statement that fails, in each place where it can stand. */
import { encodeFunctionData, type Hex } from 'viem'
import type { CompiledProject } from '../evm/solidity.ts'
import { type FailingCall, SENDER } from '../nodes/failures.ts'

const FILE = 'contracts/Matrix.sol'

type Rpc = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

/** Statements that fail when `x` is 0, by name. */
const STATEMENTS: Readonly<Record<string, string>> = {
  requireText: 'require(x > 5, "too small");',
  requireSilent: 'require(x > 5);',
  requireError: 'require(x > 5, TooSmall(x));',
  requireLines: 'require(\nx > 5,\n"too small"\n);',
  revertText: 'if (x == 0)\nrevert("always");',
  revertSilent: 'if (x == 0) revert();',
  revertError: 'if (x == 0) revert TooSmall(x);',
  assertion: 'assert(x == 1);',
  underflow: 'x = x - 1;',
  overflow: 'x += 1;\nx += type(uint256).max;',
  multiplication: 'x += 2;\nx *= type(uint256).max;',
  division: 'x = 1 / x;',
  modulo: 'x = 1 % x;',
  power: 'x = (x + 10) ** 100;',
  element: 'uint256[] memory list = new uint256[](2);\nlist[x + 2] = 1;',
  allocation: 'uint256[] memory list = new uint256[](x + 2 ** 70);\nlist;',
  choice: 'Choice choice = Choice(x + 2);\nchoice;',
  loop: 'for (uint256 i = 3; ; i--) {\nx += 10 / i;\n}',
  created: 'new Picky(x);',
  called: 'Callee callee = new Callee();\ncallee.fail(x);',
  lowLevel:
    '(bool ok, ) = address(new Callee()).call(abi.encodeCall(Callee.fail, (x)));\nrequire(ok, "the call failed");',
  bubbled:
    '(bool ok, bytes memory data) = address(new Callee()).call(abi.encodeCall(Callee.fail, (x)));\n' +
    'if (!ok) assembly { revert(add(data, 32), mload(data)) }',
  caught: 'try new Callee().fail(x) {}\ncatch {\nrevert("caught");\n}',
  rethrown:
    'try new Callee().fail(x) {}\ncatch (bytes memory data) {\nassembly { revert(add(data, 32), mload(data)) }\n}',
  noCode: 'Callee(address(uint160(x + 5000))).fail(x);',
  wrongAnswer: 'Answering(address(new Silent())).number();',
  decoding: 'abi.decode(bytes.concat(bytes32(type(uint256).max)), (uint8));',
  inlineAssembly: 'assembly {\nmstore(0, 42)\nrevert(0, 32)\n}',
  invalid: 'assembly { invalid() }',
  transfer: 'payable(address(uint160(x + 0xdead))).transfer(1 ether);',
}
const NAMES = Object.keys(STATEMENTS)

const COMMON = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
error TooSmall(uint256 x);
enum Choice { A, B }
contract Picky { constructor(uint256 x) {
require(x > 5, "picky");
} }
contract Callee { function fail(uint256 x) external pure {
revert TooSmall(x);
} }
contract Silent { fallback() external {} }
interface Answering { function number() external returns (uint256); }
`

interface Place {
  /** Definitions that all functions of the contract share. */
  readonly head?: string
  /** Before the contract. */
  readonly outside?: (name: string, statement: string) => string
  /** Members of the contract, with the function `name(uint256)`. */
  readonly member: (name: string, statement: string) => string
  readonly bases?: string
}

const body = (statement: string): string => `{\n${statement}\n}\n`
/** The base contract, library or other contract that a place uses has all its functions in one piece. */
const all = (make: (name: string, statement: string) => string): string =>
  Object.entries(STATEMENTS)
    .map(([name, statement]) => make(name, statement))
    .join('')

/** Places of a failing statement, by the name of the contract. */
const PLACES: Readonly<Record<string, Place>> = {
  Directly: { member: (name, statement) => `function ${name}(uint256 x) external ${body(statement)}` },
  Privately: {
    member: (name, statement) =>
      `function ${name}(uint256 x) external {\n_${name}(x);\n}\nfunction _${name}(uint256 x) private ${body(statement)}`,
  },
  InModifier: {
    member: (name, statement) =>
      `modifier before_${name}(uint256 x) {\n${statement}\n_;\n}\n` +
      `function ${name}(uint256 x) external before_${name}(x) {\nseen++;\n}\n`,
    head: 'uint256 seen;\n',
  },
  Inheriting: {
    bases: 'Base',
    member: (name) => `function ${name}_(uint256 x) external {\n${name}(x);\n}\n`,
  },
  Overriding: {
    bases: 'Base',
    member: (name) => `function ${name}(uint256 x) public override {\nsuper.${name}(x);\n}\n`,
  },
  InLibrary: { member: (name) => `function ${name}(uint256 x) external {\nInternal.${name}(x);\n}\n` },
  InOtherContract: {
    head: 'Directly private other = new Directly();\n',
    member: (name) => `function ${name}(uint256 x) external {\nother.${name}(x);\n}\n`,
  },
  InFile: {
    outside: (name, statement) => `function file_${name}(uint256 x) ${body(statement)}`,
    member: (name) => `function ${name}(uint256 x) external {\nfile_${name}(x);\n}\n`,
  },
  InCreation: {
    outside: (name, statement) => `contract Made_${name} { constructor(uint256 x) ${body(statement)}}\n`,
    member: (name) => `function ${name}(uint256 x) external {\nnew Made_${name}(x);\n}\n`,
  },
}

/** @returns the source by its path */
export function matrixSources(): Readonly<Record<string, string>> {
  const shared =
    `contract Base {\n${all((name, statement) => `function ${name}(uint256 x) public virtual ${body(statement)}`)}}\n` +
    `library Internal {\n${all((name, statement) => `function ${name}(uint256 x) internal ${body(statement)}`)}}\n`
  const contracts = Object.entries(PLACES).map(([place, { head = '', outside, member, bases }]) => {
    const before = outside === undefined ? '' : all(outside)
    return `${before}contract ${place}${bases === undefined ? '' : ` is ${bases}`} {\n${head}${all(member)}}\n`
  })
  return { [FILE]: COMMON + shared + contracts.join('') }
}

/** Creates the contracts. @returns the failing calls by place and statement */
export async function deployMatrix(
  rpc: Rpc,
  { output }: Pick<CompiledProject, 'output'>,
): Promise<ReadonlyMap<string, FailingCall>> {
  const calls = new Map<string, FailingCall>()
  for (const place of Object.keys(PLACES)) {
    const contract = output.contracts[FILE]?.[place]
    if (contract === undefined) throw new Error(`there is no contract ${place}`)
    const creation = { from: SENDER, data: `0x${contract.evm.bytecode.object}`, gas: '0xf00000' }
    const hash = await rpc('eth_sendTransaction', creation)
    const { contractAddress: to } = await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
    for (const name of NAMES) {
      const functionName = place === 'Inheriting' ? `${name}_` : name
      calls.set(`${place} ${name}`, { to, data: encodeFunctionData({ abi: contract.abi, functionName, args: [0n] }) })
    }
  }
  return calls
}
