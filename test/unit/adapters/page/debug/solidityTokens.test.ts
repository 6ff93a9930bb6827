import { describe, expect, it } from 'vitest'
import { markRange, tokenLines } from '../../../../../adapters/page/views/debug/solidityTokens.ts'

const SOURCE = `// a comment
contract Vault {
    /* over
       two lines */
    uint256 total = 0x10;
    string name = "<b>";
}`

/** The lines as they are in the source. */
function texts(source: string): string[] {
  return tokenLines(source).map((line) => line.map(({ text }) => text).join(''))
}

describe('tokens of Solidity', () => {
  it('keep the text of every line', () => {
    expect(texts(SOURCE)).toEqual(SOURCE.split('\n'))
    expect(texts('')).toEqual([''])
  })

  it('name what a reader tells apart', () => {
    const kinds = new Map(tokenLines(SOURCE).flatMap((line) => line.map(({ text, kind }) => [text, kind] as const)))
    expect(kinds.get('// a comment')).toBe('comment')
    expect(kinds.get('       two lines */')).toBe('comment')
    expect(kinds.get('contract')).toBe('keyword')
    expect(kinds.get('Vault')).toBe('name')
    expect(kinds.get('0x10')).toBe('number')
    expect(kinds.get('"<b>"')).toBe('string')
  })

  it('leave a large source without colours', () => {
    const source = 'contract A {}\n'.repeat(50_000)
    expect(tokenLines(source)[0]).toEqual([{ text: 'contract A {}', kind: undefined }])
  })
})

describe('the range that runs', () => {
  const line = [
    { text: 'revert', kind: 'keyword' },
    { text: ' Bad(1);', kind: undefined },
  ] as const

  it('is marked across tokens', () => {
    expect(markRange(line, 3, 7)).toEqual([
      { text: 'rev', kind: 'keyword' },
      { text: 'ert', kind: 'keyword', isMarked: true },
      { text: ' Bad', kind: undefined, isMarked: true },
      { text: '(1);', kind: undefined },
    ])
  })

  it('ends with the line', () => {
    const marked = markRange(line, 7, 1000).filter(({ isMarked }) => isMarked)
    expect(marked).toEqual([{ text: 'Bad(1);', kind: undefined, isMarked: true }])
  })

  it('may lie outside the line', () => {
    expect(markRange(line, 100, 5)).toEqual(line)
    expect(markRange(line, -20, 5)).toEqual(line)
  })
})
