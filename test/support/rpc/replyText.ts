import type { ByteStream } from '../../../src/base/primitives/byteStream.ts'

interface Reply {
  readonly body: string
  readonly stream?: ByteStream
}

/** The text of a reply, which may still be in production. */
export async function replyText({ body, stream }: Reply): Promise<string> {
  if (stream === undefined) return body
  const decoder = new TextDecoder()
  let text = ''
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}
