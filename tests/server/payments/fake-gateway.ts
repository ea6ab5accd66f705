/** A fake gateway on a separate port, whose responses are set by the test. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

type GatewayResponder = (
  response: ServerResponse,
  requestBody: string,
  request: IncomingMessage,
) => void
export type FakeGateway = {
  readonly port: number
  /** The bodies of the received requests, newest last. */
  readonly requestBodies: string[]
  /** Sets the response to all later requests, as a body or a function that writes the response. */
  setResponse(answer: string | GatewayResponder): void
  close(): Promise<void>
}

export async function openFakeGateway(): Promise<FakeGateway> {
  const queries: string[] = []
  let respond: GatewayResponder = (response) => response.end()
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      queries.push(text)
      respond(response, text, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    requestBodies: queries,
    setResponse: (gatewayResponse) => {
      respond =
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
