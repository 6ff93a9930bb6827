// slow: compiled contracts
/** Definitions and lines of Solidity sources, compared with the compiler's syntax tree. */
import { describe, expect, it } from 'vitest'
import { type Definition, definitionsOf } from '../../../../src/abi/source/definitions.ts'
import { SourceFile } from '../../../../src/abi/source/sourceFile.ts'
import { compileFailures, failingSources } from '../../../support/nodes/failures.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const names = (text: string): string[] =>
  definitionsOf(text).map(
    ({ kind, name, contract }) => `${kind} ${contract === undefined ? '' : `${contract}.`}${name}`,
  )

describe('a source', () => {
  it('counts bytes as the compiler does, and columns as editors do', () => {
    const file = new SourceFile('a.sol', bytes('é😀x\nab\r\n\nlast'))
    expect([0, 6, 7, 8, 12, 13].map((offset) => file.positionAt(offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 4 },
      { line: 1, column: 5 },
      { line: 2, column: 1 },
      { line: 3, column: 1 },
      { line: 4, column: 1 },
    ])
    expect(file.positionAt(-1)).toBeUndefined()
    expect(file.positionAt(99)).toBeUndefined()
  })

  it('has the contracts, functions and modifiers of the syntax tree', () => {
    const { input, output } = compileFailures()
    for (const [path, { ast }] of Object.entries(output.sources)) {
      const content = bytes(input.sources[path]?.content ?? '')
      const file = new SourceFile(path, content)
      const text = Buffer.from(content).toString('latin1')
      const nodes = definitionNodes(ast)
      expect(nodes.length).toBeGreaterThan(5)
      for (const { kind, name, contract, start, end } of nodes) {
        // The range of an abstract contract begins before its keyword.
        const at = text.startsWith('abstract', start) ? start + 'abstract '.length : start
        expect(file.definitionAround(at, end)).toEqual({ kind, name, contract, start: at, end })
      }
    }
  })

  it('is read with comments, texts, nested braces and assembly', () => {
    const text = `
      // contract Commented { function no() public {} }
      /* library Also {} */
      struct S { uint a; }
      using { f } for uint256;
      uint constant X = 1;
      function f(function (uint) external returns (uint) g) pure returns (uint) { return 1; }
      abstract contract A is B(1), C {
        string s = "} function fake() {'";
        function (uint) internal pointer;
        function (uint) internal other = this.x;
        mapping(address => uint) m;
        modifier only(uint a) virtual { if (a > 0) { _; } }
        constructor() B(2) only(1) payable { assembly { function inner(a) -> b { b := a } } }
        function open(uint a) external only(C.g{value: 1}(a)) { { } }
        function none() external virtual;
        receive() external payable {}
        fallback(bytes calldata) external returns (bytes memory) {}
        function contract_() public { string memory x = unicode'\\' {'; }
      }
      contract Old { function () external payable { } }
      interface I { function i() external; }
      function unfinished() {`
    expect(names(text)).toEqual([
      'function f',
      'contract A',
      'modifier A.only',
      'function A.constructor',
      'function A.open',
      'function A.receive',
      'function A.fallback',
      'function A.contract_',
      'contract Old',
      'function Old.fallback',
      'contract I',
    ])
  })

  it.each(['}}}}', '((((', 'contract', 'function (', "'", '/*', 'contract A { function f() { ', ')))){}'])(
    'has no fault for %j',
    (text) => {
      expect(names(text)).toEqual([])
    },
  )

  it('says when a range is a whole contract', () => {
    const [source = ''] = Object.values(failingSources())
    const file = new SourceFile('Base.sol', bytes(source))
    const [library] = definitionsOf(source)
    expect(library).toMatchObject({ kind: 'contract', name: 'Checks' })
    const start = bytes(source.slice(0, library?.start)).length
    const end = bytes(source.slice(0, library?.end)).length
    expect(file.isWholeContract(start, end)).toBe(true)
    expect(file.isWholeContract(start - 5, end + 5)).toBe(true)
    expect(file.isWholeContract(start + 1, end)).toBe(false)
    expect(file.isWholeContract(start, end - 1)).toBe(false)
  })
})

interface AstNode {
  readonly nodeType?: string
  readonly kind?: string
  readonly name?: string
  readonly src?: string
  readonly nodes?: readonly AstNode[]
  readonly body?: object | null
}

function definitionNodes(root: unknown, contract?: string): Definition[] {
  const found: Definition[] = []
  for (const node of (root as AstNode).nodes ?? []) {
    const [start = 0, length = 0] = (node.src ?? '').split(':').map(Number)
    const place = { start, end: start + length }
    const name = node.name || (node.kind ?? '')
    if (node.nodeType === 'ContractDefinition') {
      found.push({ kind: 'contract', name, contract: undefined, ...place })
      found.push(...definitionNodes(node, name))
    } else if (node.nodeType === 'FunctionDefinition' && node.body) {
      found.push({ kind: 'function', name, contract, ...place })
    } else if (node.nodeType === 'ModifierDefinition') found.push({ kind: 'modifier', name, contract, ...place })
  }
  return found
}
