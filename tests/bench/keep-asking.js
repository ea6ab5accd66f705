/**
 * Repeats a GET over many connections for a given time. It only counts the bytes of each response: autocannon decodes
 * every body to text, which takes longer than sending a compressed page.
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
  const text = Buffer.from(`GET ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const until = performance.now() + seconds * 1000
  /** @type {number[]} */
  const times = []
  const ask = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let length = 0
      let received = 0
      let sentAt = performance.now()
      const send = () => {
        received = 0
        sentAt = performance.now()
        socket.write(text)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('data', (data) => {
        // Every response to the same request has the same length, because the date's length is constant.
        if (length === 0) length = measure(data)
        received += data.length
        if (received < length) return
        times.push(performance.now() - sentAt)
        if (performance.now() < until) send()
        else socket.end()
      })
      socket.on('error', reject)
      socket.on('close', resolve)
    })
  await Promise.all(Array.from({ length: clients }, ask))
  times.sort((a, b) => a - b)
  return {
    all: times.length,
    perSecond: times.length / seconds,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}

/** @param {Buffer} data the beginning of a response */
function measure(data) {
  const end = data.indexOf(END_OF_HEAD)
  const head = data.subarray(0, end).toString('latin1')
  if (end === -1 || !/^HTTP\/1\.1 (200|304) /.test(head))
    throw new Error(`the response is not a page: ${head}`)
  return end + END_OF_HEAD.length + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
}
