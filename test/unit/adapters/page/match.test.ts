import { describe, expect, it } from 'vitest'
import { matchPath, parsePlace, placeHash } from '../../../../adapters/page/state/match.ts'
import { searchTarget } from '../../../../adapters/page/state/searchTarget.ts'

describe('hash routes', () => {
  it('reads path and query from the hash', () => {
    const { path, search } = parsePlace('#/tx/0x12?tab=logs&q=a?b')
    expect(path).toBe('/tx/0x12')
    expect(search.get('tab')).toBe('logs')
    expect(search.get('q')).toBe('a?b')
  })

  it('takes an empty hash as the root', () => {
    expect(parsePlace('').path).toBe('/')
    expect(matchPath('/', '/')).toEqual({})
  })

  it('gives the parameters of a pattern', () => {
    expect(matchPath('/tx/:hash', '/tx/0x12')).toEqual({ hash: '0x12' })
    expect(matchPath('/tx/:hash', '/tx/0x12/')).toEqual({ hash: '0x12' })
    expect(matchPath('/tx/:hash', '/tx/')).toBeUndefined()
    expect(matchPath('/tx/:hash', '/block/1')).toBeUndefined()
    expect(matchPath('/tx/:hash', '/tx/1/2')).toBeUndefined()
  })

  it('decodes escapes, and leaves invalid ones as they are', () => {
    expect(matchPath('/search/:q', '/search/a%20b')).toEqual({ q: 'a b' })
    expect(matchPath('/search/:q', '/search/100%')).toEqual({ q: '100%' })
  })

  it('writes a hash that it reads back', () => {
    const hash = placeHash('/search', new URLSearchParams({ q: 'a&b=c' }))
    expect(parsePlace(hash).search.get('q')).toBe('a&b=c')
  })
})

describe('the search box', () => {
  const address = `0x${'ab'.repeat(20)}`
  const hash = `0x${'cd'.repeat(32)}`

  it.each([
    ['12', '/block/12'],
    [' 1,234 ', '/block/1234'],
    ['#7', '/block/7'],
    [address, `/address/${address}`],
    [address.slice(2), `/address/${address}`],
    [hash, `/tx/${hash}`],
    ['Vault.withdraw', '/search?q=Vault.withdraw'],
    ['0xa9059cbb', '/search?q=0xa9059cbb'],
    ['a&b', '/search?q=a%26b'],
  ])('leads %s to %s', (text, target) => {
    expect(searchTarget(text)).toBe(target)
  })

  it('leads an empty text nowhere', () => {
    expect(searchTarget('  ')).toBeUndefined()
  })
})
