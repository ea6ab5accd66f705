/**
 * Repeats a GET request over many connections for a given time. Only counts the bytes of each response, because
 * autocannon decodes every body to text, which takes longer than sending a compressed page.
 */
import { connect } from 'node:net'

const END_OF_HEAD = '\r\n\r\n'

/**
 * @param {{ url: string, headers: Readonly<Record<string, string>> }} request
 * @param {{ clients: number, seconds: number }} load
 */
export async function sendRepeatedly({ url, headers }, { clients, seconds }) {
  const { hostname, port, pathname } = new URL(url)
  const lines = Object.entries({ host: hostname, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const requestText = Buffer.from(`GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const endsAt = performance.now() + seconds * 1000
  /** @type {number[]} */
  const durationsMs = []
  const sendOnOneConnection = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let length = 0
      let received = 0
      let sentAt = performance.now()
      const send = () => {
        received = 0
        sentAt = performance.now()
        socket.write(requestText)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('data', (data) => {
        // Every response to the same request has the same length, because the date's length is constant.
        if (length === 0) length = computeLength(data)
        received += data.length
        if (received < length) return
        durationsMs.push(performance.now() - sentAt)
        if (performance.now() < endsAt) send()
        else socket.end()
      })
      socket.on('error', reject)
      socket.on('close', resolve)
    })
  await Promise.all(Array.from({ length: clients }, sendOnOneConnection))
  durationsMs.sort((a, b) => a - b)
  return {
    all: durationsMs.length,
    perSecond: durationsMs.length / seconds,
    p99: durationsMs[Math.floor(durationsMs.length * 0.99)] ?? 0,
  }
}

/** @param {Buffer} data the beginning of a response */
function computeLength(data) {
  const end = data.indexOf(END_OF_HEAD)
  const head = data.subarray(0, end).toString('latin1')
  if (end === -1 || !/^HTTP\/1\.1 (200|304) /.test(head))
    throw new Error(`the response is not a page: ${head}`)
  return end + END_OF_HEAD.length + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
}
