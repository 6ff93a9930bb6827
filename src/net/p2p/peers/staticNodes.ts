import { MAX_MAINTAINED_PEERS } from '../../../base/limits/limits.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { printable } from '../../../base/primitives/printable.ts'
import { type Enode, enodeText, parseEnode } from '../enode.ts'

const MAX_SHOWN = 60

/**
 * Reads a list of peers to stay connected to: a JSON array of enode URLs. An empty file is an empty list; repeated peers
 * count once.
 * @throws {NodeError} INVALID_STATIC_NODES naming the entry
 */
export function parseStaticNodes(text: string): readonly Enode[] {
  if (text.trim() === '') return []
  const entries = arrayOf(text)
  if (entries.length > MAX_MAINTAINED_PEERS) {
    throw invalid(`${entries.length} entries, at most ${MAX_MAINTAINED_PEERS} are allowed`)
  }
  const nodes = entries.map((entry, i) => nodeOf(entry, `entry ${i + 1}`))
  return [...new Map(nodes.map((node) => [enodeText(node), node])).values()]
}

function arrayOf(text: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('the file is not valid JSON', error)
  }
  if (!Array.isArray(value)) throw invalid('the file is not a JSON array of enode URLs')
  return value
}

function nodeOf(entry: unknown, place: string): Enode {
  if (typeof entry !== 'string') throw invalid(`${place} is not a string`)
  const node = enodeOf(entry, place)
  if (node.port === 0) throw invalid(`${place}: the node does not listen on a TCP port`)
  return node
}

function enodeOf(url: string, place: string): Enode {
  try {
    return parseEnode(url)
  } catch (error) {
    if (!isNodeError(error)) throw error
    const urlText = printable(url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}...` : url)
    throw invalid(`${place}, '${urlText}': ${error.message}`, error)
  }
}

function invalid(reason: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'INVALID_STATIC_NODES' }, `static nodes: ${reason}`, { cause })
}
