/** Attacks on parsers: oversized input, polyglot files and decompression bombs. */
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
  findChanges,
  delegate,
  buildForm,
  createAddress,
  postgraduate,
  createProof,
  registerDelegate,
  listDistinctRoutes,
  listRoutes,
  signInAsAdmin,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { sendOnce, buildRequest } from './wire.ts'
import type { HttpResponse, Outcome } from './wire.ts'

const KB = 1024
const MB = 1024 * KB

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

/** Lists the files in the upload folder, including unfinished ones. */
const listUploadFiles = (): readonly string[] =>
  readdirSync(join(target.dataDir, 'uploads'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Describes what is wrong with a response. Null if it is an error in the common format. */
function findProblem(outcome: Outcome): string | null {
  if (typeof outcome === 'string') return outcome
  const { status, headers, body } = outcome
  if (status < 400) return `answered ${status}`
  const actualHeaders = { 'content-type': headers.get('content-type'), 'cache-control': 'no-store' }
  return findFormatError({ statusCode: status, headers: actualHeaders, body }, 'POST', false)
}

describe('oversized input', () => {
  const longText = 'x'.repeat(20 * KB)
  const headerCases: readonly (readonly [label: string, head: string])[] = [
    ['a 20 KB path', `GET /${longText} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a 20 KB query string', `GET /api/events/?a=${longText} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a 20 KB header', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${longText}\r\n\r\n`],
    ['a 20 KB header name', `GET / HTTP/1.1\r\nHost: x\r\n${longText}: a\r\n\r\n`],
    ['a 20 KB cookie', `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${longText}\r\n\r\n`],
    ['ten thousand headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X: a\r\n'.repeat(10_000)}\r\n`],
    ['a 20 KB method', `${longText} / HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'a 20 KB chunk extension',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;${longText}\r\n{\r\n0\r\n\r\n`,
    ],
    [
      'a Content-Length of a hundred digits',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: ${'9'.repeat(100)}\r\n\r\n`,
    ],
    [
      'a negative Content-Length',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    ],
    [
      'two Content-Length headers',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}`,
    ],
    [
      'Content-Length together with chunked encoding',
      `POST ${REGISTER} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    [
      'line feeds without carriage returns',
      `POST ${REGISTER} HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}`,
    ],
  ]
  test.each(headerCases)(
    'the server rejects %s with an error in the common format, or closes the connection',
    async (_what, head) => {
      const snapshotBefore = target.readSnapshot()
      const outcome = await sendOnce(target.url, head)
      if (outcome !== 'closed') expect(findProblem(outcome)).toBe(null)
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    },
  )

  const bodyCases: readonly (readonly [label: string, type: string, body: () => string])[] = [
    [
      '300 KB of JSON',
      'application/json',
      () => JSON.stringify({ full_name: 'x'.repeat(300 * KB) }),
    ],
    ['300 KB of form data', 'application/x-www-form-urlencoded', () => `a=${'x'.repeat(300 * KB)}`],
    ['300 KB of text', 'text/plain', () => 'x'.repeat(300 * KB)],
    [
      'an object nested twenty thousand levels deep',
      'application/json',
      () => '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    ],
    [
      'a list nested twenty thousand levels deep',
      'application/json',
      () => '['.repeat(20_000) + ']'.repeat(20_000),
    ],
    [
      'twenty thousand fields',
      'application/x-www-form-urlencoded',
      () => Array.from({ length: 20_000 }, (_, n) => `f${n}=1`).join('&'),
    ],
    [
      'twelve thousand keys',
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
      'a part with a 100 KB name',
      'multipart/form-data; boundary=x',
      () =>
        `--x\r\nContent-Disposition: form-data; name="${'n'.repeat(100 * KB)}"\r\n\r\nb\r\n--x--\r\n`,
    ],
    ['a 5 KB boundary', `multipart/form-data; boundary=${'b'.repeat(5 * KB)}`, () => '--x--'],
    [
      'a number with a hundred thousand digits',
      'application/json',
      () => `{"total_amount": ${'9'.repeat(100_000)}}`,
    ],
  ]
  test.each(bodyCases)(
    'every endpoint that accepts a body rejects %s and stores nothing',
    async (label, type, body) => {
      // All endpoints share the body parsers: JSON and multipart bodies are sent to each endpoint, other bodies to
      // every fifth endpoint.
      const isSentToAll = ALL_RUNS || ['300 KB of JSON', 'two thousand parts'].includes(label)
      const routes = (await listPostPaths())
        .filter((path, index) => isSentToAll || path === REGISTER || index % 5 === 0)
        .map((path) => path.replaceAll(/:\w+|\{\w+\}|\*/g, 'x'))
      const snapshotBefore = target.readSnapshot()
      const text = body()
      const problems: string[] = []
      for (const path of routes) {
        // The sign-out route ignores its body, and rejects it only if it cannot be parsed.
        if (path.includes('logout')) continue
        // With an idempotency key, the body is serialised again for comparison.
        const headers = {
          'content-type': type,
          'x-forwarded-for': createAddress(),
          'idempotency-key': path,
        }
        const outcome = await sendOnce(
          target.url,
          buildRequest({ method: 'POST', path, headers, body: text }),
        )
        // The return endpoint always redirects to a page.
        if (typeof outcome !== 'string' && outcome.status === 303) continue
        const problem = findProblem(outcome)
        if (problem !== null) problems.push(`${path}: ${problem}`)
      }
      expect(problems).toEqual([])
      const { gateway_notices: _storedMessages, ...changedTables } = findChanges(
        snapshotBefore,
        target.readSnapshot(),
      )
      expect(changedTables).toEqual({})
    },
  )

  let cachedPaths: readonly string[] | null = null
  /** Returns each path once, with a trailing slash if both forms exist. */
  const listPostPaths = async (): Promise<readonly string[]> =>
    (cachedPaths ??= (await listRoutes())
      .filter(({ method, path }) => method === 'POST' && (path.endsWith('/') || path.endsWith('*')))
      .map(({ path }) => path))

  test('in the query string of any staff endpoint causes no server error', async () => {
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    const officeRoutes = (await listDistinctRoutes()).filter(
      ({ method, path }) => method === 'GET' && /admin|csv/.test(path) && !/[:*{]/.test(path),
    )
    expect(officeRoutes.length).toBeGreaterThan(10)
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
      for (const { path } of officeRoutes) {
        const { status } = await target.send({ path: `${path}?${query}`, headers })
        expect([path, query.slice(0, 40), status < 500]).toEqual([path, query.slice(0, 40), true])
      }
  })

  test('a name with 120,000 combining marks is shortened to a readable one', async () => {
    const full_name = `e${'\u0301'.repeat(120_000)}`
    const { regNo } = await registerDelegate(target, { ...delegate, full_name })
    const [row] = target.readRows('SELECT full_name FROM registrations WHERE reg_no = ?', regNo)
    expect(String(row?.['full_name']).length).toBeLessThan(40)
  })

  test('a 200 KB name, an email address with emoji, a phone number with a thousand Devanagari digits and a city name made up of unpaired surrogates are each rejected with an error for that field', async () => {
    for (const answers of [
      { ...delegate, full_name: 'x'.repeat(200 * KB) },
      { ...delegate, email: `${'😀'.repeat(100)}@example.org` },
      { ...delegate, phone_number: '９'.repeat(1000) },
      { ...delegate, city: '\ud800'.repeat(1000) },
    ]) {
      const snapshotBefore = target.readSnapshot()
      const registerResponse = await target.post(REGISTER, answers)
      expect(registerResponse.status).toBe(422)
      expect(
        Object.keys((JSON.parse(registerResponse.body) as { errors: object }).errors),
      ).toHaveLength(1)
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    }
  })
})

describe('an uploaded document', () => {
  const uploadDocument = async (
    filename: string,
    bytes: Buffer,
    type?: string,
  ): Promise<HttpResponse> => {
    const { headers, body } = buildForm(postgraduate, [
      { ...createProof(bytes, filename), ...(type === undefined ? {} : { type }) },
    ])
    return target.send({ method: 'POST', path: REGISTER, headers, body })
  }
  const htmlBytes = Buffer.from('<html><script>alert(document.domain)</script></html>')
  const svgBytes = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  )
  const zipBytes = Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1')
  /** Creates an image whose header declares four gigapixels. */
  const createHugePng = (): Buffer => {
    const header = Buffer.from(createPng())
    header.writeUInt32BE(65_535, 16)
    header.writeUInt32BE(65_535, 20)
    return Buffer.concat([header, deflateSync(Buffer.alloc(MB))])
  }

  const polyglots: readonly (readonly [label: string, name: string, bytes: Buffer])[] = [
    ['an HTML page with a .pdf extension', 'a.pdf', htmlBytes],
    [
      'an HTML page with a PDF in a comment',
      'a.pdf',
      Buffer.concat([Buffer.from('<!--'), createPdf(), Buffer.from('-->'), htmlBytes]),
    ],
    ['a PDF followed by an HTML page', 'a.pdf', Buffer.concat([createPdf(), htmlBytes])],
    [
      'a PDF that runs a script',
      'a.pdf',
      createPdf('/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'),
    ],
    ['an image followed by an HTML page', 'a.png', Buffer.concat([createPng(), htmlBytes])],
    [
      'an image with an HTML page in its comment',
      'a.jpg',
      Buffer.concat([
        createJpg().subarray(0, -2),
        Buffer.from([0xff, 0xfe, 0, htmlBytes.length + 2]),
        htmlBytes,
        Buffer.from([0xff, 0xd9]),
      ]),
    ],
    ['an image that is also an archive', 'a.jpg', Buffer.concat([createJpg(), zipBytes])],
    ['an image that is also a program', 'a.png', Buffer.concat([createPng(), createExe()])],
    ['an image with an .html extension', 'a.html', createPng()],
    ['an image with an .exe extension', 'a.png.exe', createPng()],
    ['an image of four gigapixels', 'a.png', createHugePng()],
    ['an SVG with a script', 'a.svg', svgBytes],
    ['an SVG with a .png extension', 'a.png', svgBytes],
    ['a program', 'a.pdf', createExe()],
    ['an installer', 'a.doc', createMsi()],
    ['a spreadsheet with a .doc extension', 'a.doc', createXls()],
    ['an archive', 'a.docx', zipBytes],
    ['an empty file', 'a.pdf', Buffer.alloc(0)],
    ['a single byte', 'a.pdf', Buffer.from('%')],
    ['five megabytes of zeros', 'a.pdf', Buffer.alloc(5 * MB)],
    ['a document', 'a.doc', createDoc()],
  ]
  test.each(polyglots)(
    'that is %s is rejected and deleted, or sent as a download',
    async (_what, name, bytes) => {
      const [snapshotBefore, filesBefore] = [target.readSnapshot(), listUploadFiles()]
      const uploadResponse = await uploadDocument(name, bytes, 'text/html')
      if (uploadResponse.status !== 201) {
        expect(uploadResponse.status).toBe(422)
        expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
        expect(listUploadFiles().toSorted()).toEqual(filesBefore.toSorted())
        return
      }
      const { reg_no } = JSON.parse(uploadResponse.body) as { reg_no: string }
      const { status, headers } = await target.send({
        path: `/admin/registrations/${reg_no}/files/pg_proof/`,
        headers: { authorization: `Bearer ${await signInAsAdmin(target)}` },
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

  test('that is a decompression bomb is rejected, even if several are sent concurrently, and the server keeps responding', async () => {
    const [snapshotBefore, filesBefore] = [target.readSnapshot(), listUploadFiles()]
    const uploads = Promise.all(hostileFiles.map(([, name, bytes]) => uploadDocument(name, bytes)))
    expect((await target.send({ path: '/api/events/' })).status).toBe(200)
    for (const { status } of await uploads) expect([413, 422]).toContain(status)
    expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    expect(listUploadFiles().toSorted()).toEqual(filesBefore.toSorted())
  })

  const PROOFS_PATH = '/api/events/afpicon2026/proofs/'
  const uploadBeforeForm = (filename: string, bytes: Buffer, address = createAddress()) => {
    const { headers, body } = buildForm({}, [createProof(bytes, filename)])
    return target.send({ method: 'POST', path: PROOFS_PATH, headers, body }, address)
  }

  test('sent before the form gets the same checks: no polyglot, bomb or oversized file is stored', async () => {
    const files = [
      ...polyglots,
      ...hostileFiles,
      ['six megabytes', 'a.pdf', Buffer.concat([createPdf(), Buffer.alloc(6 * MB)])] as const,
    ]
    // Both upload endpoints use the same parser, which the tests above cover, so a few files of each kind suffice.
    for (const [label, name, bytes] of files.filter((_, index) => ALL_RUNS || index % 3 === 0)) {
      const expectedStatus = (await uploadDocument(name, bytes)).status
      const [snapshotBefore, filesBefore] = [target.readSnapshot(), listUploadFiles()]
      const { status } = await uploadBeforeForm(name, bytes)
      expect([label, status]).toEqual([label, expectedStatus])
      const expectedDrafts = status === 201 ? { draft_proofs: 1 } : {}
      expect([label, findChanges(snapshotBefore, target.readSnapshot())]).toEqual([
        label,
        expectedDrafts,
      ])
      if (status !== 201)
        expect([label, listUploadFiles().toSorted()]).toEqual([label, filesBefore.toSorted()])
    }
  })

  test('sent before the form can be used only with its token, and cannot be downloaded, even with a token', async () => {
    const bytes = createPdf('ahead of everything')
    const uploadResponse = await uploadBeforeForm('secret.pdf', bytes)
    const { token } = JSON.parse(uploadResponse.body) as { token: string }
    const [draftProof] = target.readRows(
      'SELECT token_hash, sha256 FROM draft_proofs WHERE name = ?',
      'secret.pdf',
    )
    for (const reference of [
      String(draftProof?.['token_hash']),
      String(draftProof?.['sha256']),
      'secret.pdf',
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
    ]) {
      const { status } = await target.post(REGISTER, { ...postgraduate, pg_proof: reference })
      expect([reference, status]).toEqual([reference, 422])
    }
    for (const path of [
      `${PROOFS_PATH}${token}`,
      `${PROOFS_PATH}${token}/`,
      `${PROOFS_PATH}?token=${token}`,
      `/api/events/afpicon2026/${token}`,
    ]) {
      const { status } = await target.send({ path })
      expect([path, status]).toEqual([path, 404])
    }
    expect((await target.post(REGISTER, { ...postgraduate, pg_proof: token })).status).toBe(201)
  })

  test('sent before the form counts towards a limit of thirty a minute per address', async () => {
    const address = createAddress()
    const statuses: number[] = []
    for (let n = 0; n < 33; n += 1)
      statuses.push((await uploadBeforeForm('a.pdf', createPdf(`${n}`), address)).status)
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 201), 429, 429, 429])
    expect((await uploadBeforeForm('a.pdf', createPdf('mine'))).status).toBe(201)
  })

  test('that is sent twice, or in fields that do not exist, is stored at most once', async () => {
    const countBefore = listUploadFiles().length
    const { headers, body } = buildForm(postgraduate, [
      createProof(createPdf('first')),
      { field: 'pg_proof', filename: 'b.pdf', bytes: createPdf('second') },
      { field: 'other', filename: 'c.pdf', bytes: createPdf('third') },
      { field: '__proto__', filename: 'd.pdf', bytes: createPdf('fourth') },
      { field: 'constructor', filename: 'e.pdf', bytes: createPdf('fifth') },
    ])
    const response = await target.send({ method: 'POST', path: REGISTER, headers, body })
    expect(response.status).toBe(201)
    expect(listUploadFiles()).toHaveLength(countBefore + 1)
  })

  test('is only available to staff: no URL serves it without a session', async () => {
    const uploadResponse = await uploadDocument('secret.pdf', createPdf('a secret of mine'))
    const { reg_no } = JSON.parse(uploadResponse.body) as { reg_no: string }
    const [uploadRow] = target.readRows(
      'SELECT sha256 FROM uploads ORDER BY registration_id DESC LIMIT 1',
    )
    const hash = String(uploadRow?.['sha256'])
    const { regNo } = await registerDelegate(target)
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
      expect([path, (await target.send({ path })).body.includes('a secret of mine')]).toEqual([
        path,
        false,
      ])
  })
})
