/** The body was longer than allowed, or incomplete. */
export type BodyFailure = 'too large' | 'aborted'

/**
 * Reads a whole body. The length of a body without Content-Length is checked while reading.
 * @param maxBytes a longer body is not read to its end
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  try {
    // A request has no stream in Firefox.
    if (request.headers.has('content-length') || request.body === undefined) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      return bytes.length > maxBytes ? 'too large' : bytes
    }
    return request.body === null ? new Uint8Array(0) : await readCounted(request.body, maxBytes)
  } catch {
    return 'aborted'
  }
}

async function readCounted(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      return 'too large'
    }
    chunks.push(value)
  }
  return join(chunks, length)
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0]
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
