/** A fake gateway with responses set by the test, on a separate port. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

type GatewayResponse = (
  response: ServerResponse,
  requests: string,
  request: IncomingMessage,
) => void
export type FakeGateway = {
  readonly port: number
  /** Received requests, newest last. */
  readonly queries: string[]
  /** Sets the response to all later requests. */
  setResponse(answer: string | GatewayResponse): void
  close(): Promise<void>
}

export async function openFakeGateway(): Promise<FakeGateway> {
  const queries: string[] = []
  let answer: GatewayResponse = (response) => response.end()
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      queries.push(text)
      answer(response, text, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    queries,
    setResponse: (gatewayResponse) => {
      answer =
        typeof gatewayResponse === 'string'
          ? (response) => response.end(gatewayResponse)
          : gatewayResponse
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
