/** A server that stores uploads in S3: registration, access by staff, erasure, outages and commands. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import { readS3Bucket } from '../../../server/storage/files/s3-bucket.ts'
import { signRequest } from '../../../server/storage/files/s3-requests.ts'
import { openS3Uploads } from '../../../server/storage/files/uploads-in-s3.ts'
import { buildDecline } from '../sample-registrations.ts'
import { createPdf } from '../sample-uploads.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import { runHere, top } from '../run-command.ts'
import { startS3 } from './s3-server.ts'
import type { S3Server } from './s3-server.ts'

const REGISTRATION_TIME = '2025-10-10T12:00:00+05:30'
const AFTER_30_DAYS = '2025-11-09T12:00:00+05:30'
const delegate = { full_name: 'Asha Nair', email: 'asha@example.org', phone_number: '9876543210' }
const computeHash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

let s3: S3Server
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.stop())

describe('a server with UPLOADS_URL', () => {
  let server: TestApp
  beforeAll(async () => {
    server = await startTestApp({ clock: REGISTRATION_TIME, variables: s3.getVariables('app') })
  })
  afterAll(() => server.close())
  beforeEach(() => server.setTime(REGISTRATION_TIME))

  const uploadDraft = (bytes: Buffer) =>
    server.post('/api/events/afpicon2026/proofs/', {}, { pg_proof: { name: 'proof.pdf', bytes } })
  const uploadForToken = async (bytes: Buffer): Promise<string> => {
    const response = await uploadDraft(bytes)
    expect(response.statusCode, response.body).toBe(201)
    return response.json<{ token: string }>().token
  }
  const register = (answers: Readonly<Record<string, string>>, targetServer = server) =>
    targetServer.app.inject({
      method: 'POST',
      url: '/api/afpicon/register/',
      payload: { ...delegate, ...answers },
    })
  const registerWith = async (bytes: Buffer): Promise<RegNo> => {
    const response = await register({
      ticket_type: 'afpi-pg',
      pg_proof: await uploadForToken(bytes),
    })
    expect(response.statusCode, response.body).toBe(201)
    return response.json<{ reg_no: RegNo }>().reg_no
  }
  const buildFilePath = (regNo: string): string => `/admin/registrations/${regNo}/files/pg_proof/`
  const listStoredHashes = (): ReadonlySet<string> =>
    new Set(s3.listKeys('app').flatMap((key) => /^files\/([^/]+)\//.exec(key)?.[1] ?? []))
  const decline = (regNo: string) =>
    server.deps.store.applyPaymentEvent(regNo as OrderId, buildDecline(server.now()), null)

  test('a document uploaded before its form is stored in the bucket, belongs to the registration, and can be opened by staff', async () => {
    const bytes = createPdf('opened by staff')
    const regNo = await registerWith(bytes)
    expect(listStoredHashes()).toContain(computeHash(bytes))
    expect(server.listStoredUploads()).toEqual([])
    const office = await signIn(server)
    const file = await office.get(buildFilePath(regNo))
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(file.rawPayload).toEqual(bytes)
    expect((await server.app.inject({ url: buildFilePath(regNo) })).statusCode).toBe(401)
  })

  test('a file sent with the answers is stored in the bucket', async () => {
    const bytes = createPdf('sent with the answers')
    const response = await server.post(
      '/api/afpicon/register/',
      { ...delegate, ticket_type: 'afpi-pg' },
      { pg_proof: { name: 'proof.pdf', bytes } },
    )
    expect(response.statusCode, response.body).toBe(201)
    expect(listStoredHashes()).toContain(computeHash(bytes))
    expect(server.listStoredUploads()).toEqual([])
  })

  test('erasing a registration deletes its file from the bucket', async () => {
    const bytes = createPdf('erased')
    const regNo = await registerWith(bytes)
    await decline(regNo)
    const office = await signIn(server)
    const eraseResult = await office.act(regNo, { act: 'erase', why: 'Asked for by letter.' })
    expect(eraseResult.status, JSON.stringify(eraseResult.body)).toBe(200)
    expect(listStoredHashes()).not.toContain(computeHash(bytes))
  })

  test('the file of a registration that stays unpaid for 30 days is deleted from the bucket', async () => {
    const bytes = createPdf('not paid')
    const regNo = await registerWith(bytes)
    await decline(regNo)
    server.setTime(AFTER_30_DAYS)
    expect(await server.deps.uploads.sweep()).toMatchObject({ dropped: 1, removed: 1 })
    expect(listStoredHashes()).not.toContain(computeHash(bytes))
    const office = await signIn(server)
    expect((await office.get(buildFilePath(regNo))).statusCode).toBe(410)
  })

  test('while the bucket is unreachable, an upload gets a 503 and can be repeated later, and registrations without a file are accepted', async () => {
    const bytes = createPdf('sent again')
    const token = await uploadForToken(createPdf('chosen before'))
    const rowCounts = server.countRows()
    await s3.pause()
    try {
      for (const response of [
        await uploadDraft(bytes),
        await register({ ticket_type: 'afpi-pg', pg_proof: token }),
        await server.post(
          '/api/afpicon/register/',
          { ...delegate, ticket_type: 'afpi-pg' },
          { pg_proof: { name: 'proof.pdf', bytes } },
        ),
      ]) {
        expect(response.statusCode, response.body).toBe(503)
        expect(response.headers['retry-after']).toBeDefined()
      }
      expect(server.countRows()).toEqual(rowCounts)
      expect(server.listStoredUploads()).toEqual([])
      expect((await register({ ticket_type: 'afpi-gp-specialist' })).statusCode).toBe(201)
      const health = await server.app.inject({ url: '/healthz' })
      expect(health.statusCode).toBe(200)
      expect(health.json()).toMatchObject({
        troubles: expect.arrayContaining([
          expect.stringMatching(
            /^Cannot write objects to the bucket "rollcall-uploads".+ECONNREFUSED.+Files are refused until this works; registrations without a file are accepted\.$/,
          ),
        ]),
      })
      expect(server.log).toContainEqual(
        expect.objectContaining({
          message: 'requests are refused: the object storage does not store or return files',
        }),
      )
    } finally {
      await s3.resume()
    }
    const acceptedResponse = await register({ ticket_type: 'afpi-pg', pg_proof: token })
    expect(acceptedResponse.statusCode, acceptedResponse.body).toBe(201)
    expect((await uploadDraft(bytes)).statusCode).toBe(201)
  })

  test('a server starts while the bucket is unreachable', async () => {
    await s3.pause()
    try {
      const server = await startTestApp({
        clock: REGISTRATION_TIME,
        variables: s3.getVariables('other'),
      })
      expect((await register({ ticket_type: 'afpi-gp-specialist' }, server)).statusCode).toBe(201)
      await server.close()
    } finally {
      await s3.resume()
    }
  })
})

describe('commands', () => {
  let server: TestApp
  let folder: string
  let variables: Readonly<Record<string, string>>
  const proofs = [createPdf('first'), createPdf('second')]
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-s3-commands-'))
    server = await startTestApp({ clock: REGISTRATION_TIME })
    for (const bytes of proofs) {
      const response = await server.post(
        '/api/afpicon/register/',
        { ...delegate, ticket_type: 'afpi-pg' },
        { pg_proof: { name: 'proof.pdf', bytes } },
      )
      if (response.statusCode !== 201) throw new Error(response.body)
    }
    variables = {
      DATA_DIR: server.dir,
      EVENTS_DIR: server.eventsDir,
      ...s3.getVariables('commands'),
    }
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const listKeys = (): readonly string[] => s3.listKeys('commands')

  test('rollcall db move files-to-s3 copies every file once, and files-from-s3 restores a deleted one', async () => {
    const doctorResult = await runHere(['doctor'], variables)
    expect(doctorResult.stdout).toContain('2 files that registrations refer to are missing')
    expect(doctorResult.stdout).toContain('2 uploads are still in DATA_DIR.')
    const moveFiles = (direction: string) => runHere(['db', 'move', direction], variables)
    expect(await moveFiles('files-to-s3')).toMatchObject({
      status: 0,
      stdout: '2 files were copied and compared. Start the server with UPLOADS_URL.\n',
    })
    expect(listKeys().map((key) => key.split('/')[1])).toEqual(proofs.map(computeHash).toSorted())
    expect((await moveFiles('files-to-s3')).stdout).toContain('0 files were copied')
    const [deletedHash = ''] = proofs.map(computeHash)
    const path = join(server.dir, 'uploads', deletedHash.slice(0, 2), deletedHash)
    rmSync(path)
    expect(await moveFiles('files-from-s3')).toMatchObject({
      status: 0,
      stdout: '1 file was copied and compared. Start the server without UPLOADS_URL.\n',
    })
    expect(computeHash(readFileSync(path))).toBe(deletedHash)
    // A damaged file does not replace the intact copy.
    rmSync(path)
    writeFileSync(path, 'damaged')
    expect((await moveFiles('files-to-s3')).status).toBe(0)
    const secondCopy = await runHere(['db', 'move', 'files-to-s3'], {
      ...variables,
      ...s3.getVariables('elsewhere'),
    })
    expect(secondCopy).toMatchObject({
      status: 1,
      stderr: `The file ${deletedHash} is missing or damaged, so it was not copied.\n`,
    })
  })

  test('a backup does not contain the files in the bucket, and states where they are', async () => {
    const target = join(folder, 'backup')
    const backupResult = await runHere(['db', 'backup', target], variables)
    expect(backupResult).toMatchObject({ status: 0, stderr: '' })
    expect(backupResult.stdout).toContain(
      'The uploaded files are not part of the backup. They are in the bucket "rollcall-uploads" (commands/) at 127.0.0.1:',
    )
    const restoreResult = await runHere(['db', 'restore', target], {
      ...variables,
      DATA_DIR: join(folder, 'restored'),
    })
    expect(restoreResult.status, restoreResult.stderr).toBe(0)
    expect(restoreResult.stdout).toContain('They are in the bucket "rollcall-uploads"')
  })

  test('rollcall doctor writes and reads the bucket, and reports errors', async () => {
    const goodReport = await runHere(['doctor'], variables)
    expect(goodReport.stdout).toContain(
      'good   Uploads can be written, read and deleted in the bucket "rollcall-uploads" (commands/) at 127.0.0.1:',
    )
    expect(goodReport.stdout).toContain('No file that a registration refers to is missing.')
    expect(listKeys().filter((key) => key.startsWith('probe/'))).toEqual([])
    const wrongKeyReport = await runHere(['doctor'], { ...variables, AWS_ACCESS_KEY_ID: 'wrong' })
    expect(wrongKeyReport.stdout).toMatch(
      /wrong {2}Cannot write objects to the bucket .+: InvalidAccessKeyId\. Check UPLOADS_URL, the credentials and their permissions\./,
    )
    const url = variables['UPLOADS_URL']?.replace('rollcall-uploads', 'no-such-bucket') ?? ''
    const noBucketReport = await runHere(['doctor'], { ...variables, UPLOADS_URL: url })
    expect(noBucketReport.stdout).toMatch(/Cannot write objects to .+: NoSuchBucket\./)
    expect(noBucketReport.status).toBe(1)
  })
})

describe('UPLOADS_URL', () => {
  const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const read = (variables: Readonly<Record<string, string>>) =>
    readS3Bucket((name) => variables[name] ?? null)

  test.each([
    ['s3://proofs', 'https://proofs.s3.us-east-1.amazonaws.com', ''],
    ['s3://proofs/a/b/', 'https://proofs.s3.us-east-1.amazonaws.com', 'a/b/'],
    ['s3://proofs?region=ap-south-1', 'https://proofs.s3.ap-south-1.amazonaws.com', ''],
    ['s3://my.proofs', 'https://s3.us-east-1.amazonaws.com/my.proofs', ''],
    ['s3://proofs?endpoint=https://s3.example.org', 'https://s3.example.org/proofs', ''],
  ])('%s refers to the bucket at %s', (UPLOADS_URL, url, prefix) => {
    expect(read({ ...CREDENTIALS, UPLOADS_URL })).toMatchObject({
      ok: true,
      value: { url, prefix },
    })
  })

  test('takes the region from AWS_REGION', () => {
    expect(
      read({ ...CREDENTIALS, UPLOADS_URL: 's3://proofs', AWS_REGION: 'eu-west-1' }),
    ).toMatchObject({
      value: { region: 'eu-west-1', url: 'https://proofs.s3.eu-west-1.amazonaws.com' },
    })
  })

  test.each([
    'https://proofs',
    's3://',
    's3://Proofs_of_ours',
    's3://proofs/a b',
    's3://proofs?endpoint=s3.example.org',
    's3://proofs?endpoint=https://s3.example.org/path',
    's3://proofs?secret=x',
    's3://key:secret@proofs',
  ])('%s is rejected with a message', (UPLOADS_URL) => {
    expect(read({ ...CREDENTIALS, UPLOADS_URL })).toEqual({
      ok: false,
      error: expect.stringContaining('UPLOADS_URL'),
    })
  })

  test('needs credentials', () => {
    expect(read({ UPLOADS_URL: 's3://proofs' })).toEqual({
      ok: false,
      error: 'UPLOADS_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    })
  })
})

test('requests are signed as in the example published by Amazon', async () => {
  const bucket = {
    name: 'examplebucket',
    prefix: '',
    url: 'https://examplebucket.s3.amazonaws.com',
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: null,
  }
  const query = { 'max-keys': '2', prefix: 'J' }
  const { headers } = await signRequest(bucket, { method: 'GET', query }, '20130524T000000Z')
  expect(headers['authorization']).toContain(
    'SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  )
})

test('a sweep does not delete a file that another server stores while the sweep runs', async () => {
  const bucket = s3.getBucket('two-servers')
  const path = join(mkdtempSync(join(tmpdir(), 'rollcall-s3-race-')), 'file')
  const bytes = createPdf('stored during the sweep')
  writeFileSync(path, bytes)
  const file = { path, sha256: computeHash(bytes), bytes: bytes.length }
  const [uploadTime, now] = [instant(1_000_000), instant(200_000_000)]
  const otherStorage = openS3Uploads(bucket, {
    uploadsInUse: async () => [],
    uploadsDropped: async () => [],
  })
  await otherStorage.storeFile(file, uploadTime)
  const sweepingStorage = openS3Uploads(bucket, {
    uploadsInUse: async () => [],
    // The sweep has listed the files and found no references to them.
    uploadsDropped: async (hashes) => {
      await otherStorage.storeFile(file, now)
      return hashes
    },
  })
  const sweepResult = await sweepingStorage.sweep({
    at: now,
    keptBefore: instant(uploadTime + 1),
    deleteBefore: uploadTime,
    isSubmitted: () => false,
    expected: new Set(),
    findHoldReason: () => null,
  })
  expect(sweepResult).toMatchObject({ removed: 1 })
  expect(s3.listKeys('two-servers')).toEqual([`files/${file.sha256}/${now}`])
  expect(await otherStorage.protectFile(file.sha256, now)).toBe(true)
  rmSync(path)
})

test('a large file is streamed: less than half of it is in memory when it is stored or read', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 's3-memory-process.ts')],
    { cwd: top, env: { ...process.env, ...s3.getVariables('memory') }, encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  const { fileMb, peakMb } = JSON.parse(stdout) as { fileMb: number; peakMb: number }
  expect(peakMb).toBeGreaterThan(0)
  expect(peakMb).toBeLessThan(fileMb / 2)
})
