/** What is sent to break the reading of it: too much of everything, files that are two things at once, bombs. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import {
  createDoc,
  createExe,
  createJpg,
  createMsi,
  createPdf,
  createPng,
  createXls,
} from '../server/sample-uploads.ts'
import { hostileFiles } from '../server/hostile-uploads.ts'
import { findFormatError } from '../server/http/error-shape.ts'
import {
  changes,
  delegate,
  formOf,
  freshAddress,
  postGraduate,
  proof,
  registered,
  routesOf,
  signedIn,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { askOnce, requestOf } from './wire.ts'
import type { Answer, Outcome } from './wire.ts'

const KB = 1024
const MB = 1024 * KB

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

/** Files below the folder of proofs, unfinished ones among them. */
const proofs = (): readonly string[] =>
  readdirSync(join(target.dataDir, 'uploads'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Null: a no in the one shape. */
function problemOf(outcome: Outcome): string | null {
  if (typeof outcome === 'string') return outcome
  const { status, headers, body } = outcome
  if (status < 400) return `answered ${status}`
  const said = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  return findFormatError({ statusCode: status, headers: said, body }, 'POST', false)
}

describe('oversized input', () => {
  const long = 'x'.repeat(20 * KB)
  const heads: readonly (readonly [what: string, head: string])[] = [
    ['an address of 20 KB', `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a query of 20 KB', `GET /api/events/?a=${long} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a header of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${long}\r\n\r\n`],
    ['a name of a header of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\n${long}: a\r\n\r\n`],
    ['a cookie of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${long}\r\n\r\n`],
    ['ten thousand headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X: a\r\n'.repeat(10_000)}\r\n`],
    ['a method of 20 KB', `${long} / HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'an extension of a chunk of 20 KB',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;${long}\r\n{\r\n0\r\n\r\n`,
    ],
    [
      'a length of a hundred digits',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: ${'9'.repeat(100)}\r\n\r\n`,
    ],
    ['a length below zero', `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`],
    [
      'two lengths',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    ['a line feed alone for an end', `POST ${REGISTER} HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}`],
  ]
  test.each(heads)('%s is rejected in the common format, or disconnected', async (_what, head) => {
    const before = target.holds()
    const outcome = await askOnce(target.url, head)
    if (outcome !== 'closed') expect(problemOf(outcome)).toBe(null)
    expect(changes(before, target.holds())).toEqual({})
  })

  const bodies: readonly (readonly [what: string, type: string, body: () => string])[] = [
    [
      '300 KB of JSON',
      'application/json',
      () => JSON.stringify({ full_name: 'x'.repeat(300 * KB) }),
    ],
    ['300 KB of a form', 'application/x-www-form-urlencoded', () => `a=${'x'.repeat(300 * KB)}`],
    ['300 KB of text', 'text/plain', () => 'x'.repeat(300 * KB)],
    [
      'twenty thousand levels',
      'application/json',
      () => '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    ],
    [
      'a list of twenty thousand levels',
      'application/json',
      () => '['.repeat(20_000) + ']'.repeat(20_000),
    ],
    [
      'twenty thousand fields',
      'application/x-www-form-urlencoded',
      () => Array.from({ length: 20_000 }, (_, n) => `f${n}=1`).join('&'),
    ],
    [
      'twenty thousand keys',
      'application/json',
      () =>
        JSON.stringify(Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`k${n}`, 1]))),
    ],
    [
      'two thousand parts',
      'multipart/form-data; boundary=x',
      () =>
        `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(2000)}--x--\r\n`,
    ],
    [
      'a part with a name of 100 KB',
      'multipart/form-data; boundary=x',
      () =>
        `--x\r\nContent-Disposition: form-data; name="${'n'.repeat(100 * KB)}"\r\n\r\nb\r\n--x--\r\n`,
    ],
    ['a boundary of 5 KB', `multipart/form-data; boundary=${'b'.repeat(5 * KB)}`, () => '--x--'],
    [
      'a number of a hundred thousand digits',
      'application/json',
      () => `{"total_amount": ${'9'.repeat(100_000)}}`,
    ],
  ]
  test.each(bodies)(
    '%s is rejected by calls with a body, and nothing is stored',
    async (what, type, body) => {
      // They all read a body by the same parsers: JSON and parts come to each call, the others to every fifth.
      const everywhere = ALL_RUNS || ['300 KB of JSON', 'two thousand parts'].includes(what)
      const routes = (await postRoutes())
        .filter((path, at) => everywhere || path === REGISTER || at % 5 === 0)
        .map((path) => path.replaceAll(/:\w+|\{\w+\}|\*/g, 'x'))
      const before = target.holds()
      const text = body()
      const problems: string[] = []
      for (const path of routes) {
        // Signing out reads no body, and says nothing against one that it can read.
        if (path.includes('logout')) continue
        // Under a key what was sent is written out once more, to be known again.
        const headers = {
          'content-type': type,
          'x-forwarded-for': freshAddress(),
          'idempotency-key': path,
        }
        const outcome = await askOnce(
          target.url,
          requestOf({ method: 'POST', path, headers, body: text }),
        )
        // A return leads to a page, whatever it says.
        if (typeof outcome !== 'string' && outcome.status === 303) continue
        const problem = problemOf(outcome)
        if (problem !== null) problems.push(`${path}: ${problem}`)
      }
      expect(problems).toEqual([])
      const { gateway_notices: _kept, ...changed } = changes(before, target.holds())
      expect(changed).toEqual({})
    },
  )

  let listed: readonly string[] | null = null
  /** One of each path, with the slash at its end where there are both. */
  const postRoutes = async (): Promise<readonly string[]> =>
    (listed ??= (await routesOf())
      .filter(({ method, path }) => method === 'POST' && (path.endsWith('/') || path.endsWith('*')))
      .map(({ path }) => path))

  test('in every query of the office gets a response within a second', async () => {
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    const lists = (await routesOf()).filter(
      ({ method, path }) => method === 'GET' && /admin|csv/.test(path) && !/[:*{]/.test(path),
    )
    expect(lists.length).toBeGreaterThan(10)
    for (const query of [
      `search=${'x'.repeat(12 * KB)}`,
      `search=${encodeURIComponent('%_"*'.repeat(500))}`,
      'page=99999999999999999999',
      'page=1e308&page_size=1e308',
      'page=-1&page_size=-1',
      'date_from=9999-12-31&date_to=9999-12-31',
      'date_from=-271821-04-20&date_to=275760-09-13',
      'payment_status=success&payment_status=failed&payment_status[]=x',
      Array.from({ length: 1000 }, (_, n) => `a${n}=1`).join('&'),
    ])
      for (const { path } of lists) {
        const { status } = await target.ask({ path: `${path}?${query}`, headers })
        expect([path, query.slice(0, 40), status < 500]).toEqual([path, query.slice(0, 40), true])
      }
  })

  test('a name with 250,000 combining marks is shortened to a readable one', async () => {
    const full_name = `e${'\u0301'.repeat(120_000)}`
    const { regNo } = await registered(target, { ...delegate, full_name })
    const [row] = target.rows('SELECT full_name FROM registrations WHERE reg_no = ?', regNo)
    expect(String(row?.['full_name']).length).toBeLessThan(40)
  })

  test('a name of a megabyte, and an email address and number of astral characters, get an error at the field', async () => {
    for (const answers of [
      { ...delegate, full_name: 'x'.repeat(200 * KB) },
      { ...delegate, email: `${'😀'.repeat(100)}@example.org` },
      { ...delegate, phone_number: '９'.repeat(1000) },
      { ...delegate, city: '\ud800'.repeat(1000) },
    ]) {
      const before = target.holds()
      const answer = await target.post(REGISTER, answers)
      expect(answer.status).toBe(422)
      expect(Object.keys((JSON.parse(answer.body) as { errors: object }).errors)).toHaveLength(1)
      expect(changes(before, target.holds())).toEqual({})
    }
  })
})

describe('an uploaded document', () => {
  const sends = async (filename: string, bytes: Buffer, type?: string): Promise<Answer> => {
    const { headers, body } = formOf(postGraduate, [
      { ...proof(bytes, filename), ...(type === undefined ? {} : { type }) },
    ])
    return target.ask({ method: 'POST', path: REGISTER, headers, body })
  }
  const html = Buffer.from('<html><script>alert(document.domain)</script></html>')
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const zip = Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1')
  /** A picture of four gigapixels in some bytes. */
  const widePng = (): Buffer => {
    const wide = Buffer.from(createPng())
    wide.writeUInt32BE(65_535, 16)
    wide.writeUInt32BE(65_535, 20)
    return Buffer.concat([wide, deflateSync(Buffer.alloc(MB))])
  }

  const twofold: readonly (readonly [what: string, name: string, bytes: Buffer])[] = [
    ['a page that calls itself a PDF', 'a.pdf', html],
    [
      'a page with a PDF in a comment',
      'a.pdf',
      Buffer.concat([Buffer.from('<!--'), createPdf(), Buffer.from('-->'), html]),
    ],
    ['a PDF with a page behind it', 'a.pdf', Buffer.concat([createPdf(), html])],
    [
      'a PDF that runs a script',
      'a.pdf',
      createPdf('/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'),
    ],
    ['a picture with a page behind it', 'a.png', Buffer.concat([createPng(), html])],
    [
      'a picture with a page in its comment',
      'a.jpg',
      Buffer.concat([
        createJpg().subarray(0, -2),
        Buffer.from([0xff, 0xfe, 0, html.length + 2]),
        html,
        Buffer.from([0xff, 0xd9]),
      ]),
    ],
    ['a picture that is an archive as well', 'a.jpg', Buffer.concat([createJpg(), zip])],
    ['a picture that is a program as well', 'a.png', Buffer.concat([createPng(), createExe()])],
    ['a picture called a page', 'a.html', createPng()],
    ['a picture called a program', 'a.png.exe', createPng()],
    ['a picture of four gigapixels', 'a.png', widePng()],
    ['a drawing with a script', 'a.svg', svg],
    ['a drawing called a picture', 'a.png', svg],
    ['a program', 'a.pdf', createExe()],
    ['a program for installing', 'a.doc', createMsi()],
    ['a sheet called a document', 'a.doc', createXls()],
    ['an archive', 'a.docx', zip],
    ['nothing', 'a.pdf', Buffer.alloc(0)],
    ['a single byte', 'a.pdf', Buffer.from('%')],
    ['five megabytes of nothing', 'a.pdf', Buffer.alloc(5 * MB)],
    ['a document', 'a.doc', createDoc()],
  ]
  test.each(twofold)(
    'that is %s is rejected and deleted, or sent as a download',
    async (_what, name, bytes) => {
      const [before, kept] = [target.holds(), proofs()]
      const answer = await sends(name, bytes, 'text/html')
      if (answer.status !== 201) {
        expect(answer.status).toBe(422)
        expect(changes(before, target.holds())).toEqual({})
        expect(proofs().toSorted()).toEqual(kept.toSorted())
        return
      }
      const { reg_no } = JSON.parse(answer.body) as { reg_no: string }
      const { status, headers } = await target.ask({
        path: `/admin/registrations/${reg_no}/files/pg_proof/`,
        headers: { authorization: `Bearer ${await signedIn(target)}` },
      })
      expect(status).toBe(200)
      expect(headers.get('content-type')).toMatch(
        /^(application\/(pdf|msword|vnd\.[\w.-]+)|image\/(png|jpeg|webp))$/,
      )
      expect(headers.get('content-disposition')).toMatch(/^attachment; /)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    },
  )

  test('that is a decompression bomb is rejected, all of them concurrently, and the server keeps responding', async () => {
    const [before, kept] = [target.holds(), proofs()]
    const sent = Promise.all(hostileFiles.map(([, name, bytes]) => sends(name, bytes)))
    expect((await target.ask({ path: '/api/events/' })).status).toBe(200)
    for (const { status } of await sent) expect([413, 422]).toContain(status)
    expect(changes(before, target.holds())).toEqual({})
    expect(proofs().toSorted()).toEqual(kept.toSorted())
  })

  const PROOFS = '/api/events/afpicon2026/proofs/'
  const sendsAhead = (filename: string, bytes: Buffer, address = freshAddress()) => {
    const { headers, body } = formOf({}, [proof(bytes, filename)])
    return target.ask({ method: 'POST', path: PROOFS, headers, body }, address)
  }

  test('uploaded before the form is checked equally: a polyglot, a bomb or an oversized one leaves nothing', async () => {
    const files = [
      ...twofold,
      ...hostileFiles,
      ['six megabytes', 'a.pdf', Buffer.concat([createPdf(), Buffer.alloc(6 * MB)])] as const,
    ]
    // Both ways end in the same reading, which has seen them all above: some of each kind.
    for (const [what, name, bytes] of files.filter((_, at) => ALL_RUNS || at % 3 === 0)) {
      const asItWas = (await sends(name, bytes)).status
      const [before, kept] = [target.holds(), proofs()]
      const { status } = await sendsAhead(name, bytes)
      expect([what, status]).toEqual([what, asItWas])
      const left = status === 201 ? { draft_proofs: 1 } : {}
      expect([what, changes(before, target.holds())]).toEqual([what, left])
      if (status !== 201) expect([what, proofs().toSorted()]).toEqual([what, kept.toSorted()])
    }
  })

  test('uploaded before the form can be used only by its token, and no token can read it', async () => {
    const bytes = createPdf('ahead of everything')
    const answer = await sendsAhead('secret.pdf', bytes)
    const { token } = JSON.parse(answer.body) as { token: string }
    const [draft] = target.rows(
      'SELECT token_hash, sha256 FROM draft_proofs WHERE name = ?',
      'secret.pdf',
    )
    for (const named of [
      String(draft?.['token_hash']),
      String(draft?.['sha256']),
      'secret.pdf',
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
    ]) {
      const { status } = await target.post(REGISTER, { ...postGraduate, pg_proof: named })
      expect([named, status]).toEqual([named, 422])
    }
    for (const path of [
      `${PROOFS}${token}`,
      `${PROOFS}${token}/`,
      `${PROOFS}?token=${token}`,
      `/api/events/afpicon2026/${token}`,
    ]) {
      const { status } = await target.ask({ path })
      expect([path, status]).toEqual([path, 404])
    }
    expect((await target.post(REGISTER, { ...postGraduate, pg_proof: token })).status).toBe(201)
  })

  test('uploaded before the form is limited to thirty a minute per address', async () => {
    const address = freshAddress()
    const told: number[] = []
    for (let n = 0; n < 33; n += 1)
      told.push((await sendsAhead('a.pdf', createPdf(`${n}`), address)).status)
    expect(told).toEqual([...Array.from({ length: 30 }, () => 201), 429, 429, 429])
    expect((await sendsAhead('a.pdf', createPdf('mine'))).status).toBe(201)
  })

  test('under other names, twice, or not requested, is stored at most once', async () => {
    const before = proofs().length
    const { headers, body } = formOf(postGraduate, [
      proof(createPdf('first')),
      { field: 'pg_proof', filename: 'b.pdf', bytes: createPdf('second') },
      { field: 'other', filename: 'c.pdf', bytes: createPdf('third') },
      { field: '__proto__', filename: 'd.pdf', bytes: createPdf('fourth') },
      { field: 'constructor', filename: 'e.pdf', bytes: createPdf('fifth') },
    ])
    const answer = await target.ask({ method: 'POST', path: REGISTER, headers, body })
    expect(answer.status).toBe(201)
    expect(proofs()).toHaveLength(before + 1)
  })

  test('is only available to staff: no URL serves it without a session', async () => {
    const answer = await sends('secret.pdf', createPdf('a secret of mine'))
    const { reg_no } = JSON.parse(answer.body) as { reg_no: string }
    const [upload] = target.rows('SELECT sha256 FROM uploads ORDER BY registration_id DESC LIMIT 1')
    const hash = String(upload?.['sha256'])
    const { regNo } = await registered(target)
    for (const path of [
      `/admin/registrations/${reg_no}/files/pg_proof/`,
      `/api/admin/registrations/${reg_no}/files/pg_proof/`,
      `/uploads/${hash}`,
      `/uploads/${hash.slice(0, 2)}/${hash}`,
      `/assets/../uploads/${hash.slice(0, 2)}/${hash}`,
      `/api/afpicon/registrations/${reg_no}/files/pg_proof/`,
      `/api/afpicon/registrations/${reg_no}/`,
      `/afpicon/payment/success?orderId=${reg_no}`,
      `/admin/registrations/${regNo}/files/pg_proof/?token=${hash}`,
    ])
      expect([path, (await target.ask({ path })).body.includes('a secret of mine')]).toEqual([
        path,
        false,
      ])
  })
})
