import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStaticNodes } from '../../../../../adapters/server/net/staticNodesFile.ts'
import { MAX_MAINTAINED_PEERS } from '../../../../../src/base/limits/limits.ts'
import { parseStaticNodes } from '../../../../../src/net/p2p/peers/staticNodes.ts'

const ID = 'ab'.repeat(64)
const OPTIONS = { 'Xdns-enabled': false, 'Xdns-update-enabled': false }
const URL_TEXT = `enode://${ID}@10.0.0.7:30303`

describe('the file of static nodes', () => {
  it('is an array of enode URLs, each of which counts once', () => {
    const nodes = parseStaticNodes(JSON.stringify([URL_TEXT, `${URL_TEXT}?discport=0`, URL_TEXT.replace('ab', 'AB')]))
    expect(nodes.map(({ host, port, discoveryPort }) => [host, port, discoveryPort])).toEqual([
      ['10.0.0.7', 30303, 30303],
      ['10.0.0.7', 30303, 0],
    ])
    expect(parseStaticNodes('[]')).toEqual([])
    expect(parseStaticNodes(' \n')).toEqual([])
  })

  it.each([
    ['{"a": 1}', 'static nodes: the file is not a JSON array of enode URLs'],
    ['[', 'static nodes: the file is not valid JSON'],
    [`["${URL_TEXT}", 7]`, 'static nodes: entry 2 is not a string'],
    [
      '["enode://12@1.2.3.4:1"]',
      "static nodes: entry 1, 'enode://12@1.2.3.4:1': the node id of the enode URL has no 128 hexadecimal characters",
    ],
    [`["${URL_TEXT.replace(':30303', ':0')}"]`, 'static nodes: entry 1: the node does not listen on a TCP port'],
    [
      JSON.stringify([`x\n${'y'.repeat(500)}`]),
      `static nodes: entry 1, 'x\\n${'y'.repeat(58)}...': parse error: not an enode URL with an IP address and a port`,
    ],
    [
      JSON.stringify(Array(MAX_MAINTAINED_PEERS + 1).fill(URL_TEXT)),
      `static nodes: ${MAX_MAINTAINED_PEERS + 1} entries, at most ${MAX_MAINTAINED_PEERS} are allowed`,
    ],
  ])('names the fault of %.40s', (text, message) => {
    expect(() => parseStaticNodes(text)).toThrow(expect.objectContaining({ code: 'INVALID_STATIC_NODES', message }))
  })

  it('may be absent; its faults name it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'static-'))
    try {
      const file = path.join(folder, 'static-nodes.json')
      expect((await readStaticNodes(file, OPTIONS)).staticNodes).toEqual([])
      writeFileSync(file, JSON.stringify([URL_TEXT]))
      expect((await readStaticNodes(file, OPTIONS)).staticNodes).toHaveLength(1)
      const named = URL_TEXT.replace(/@[^:]+/, '@localhost')
      writeFileSync(file, JSON.stringify([URL_TEXT, named]))
      const updated = await readStaticNodes(file, { 'Xdns-enabled': true, 'Xdns-update-enabled': true })
      expect([updated.staticNodes.length, updated.hostNames?.staticNodes]).toEqual([1, [named]])
      writeFileSync(file, '[3]')
      await expect(readStaticNodes(file, OPTIONS)).rejects.toThrow(`${file}: static nodes: entry 1 is not a string`)
      await expect(readStaticNodes(folder, OPTIONS)).rejects.toThrow(/static nodes: the file cannot be read: EISDIR/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
