/** Reads the bucket for uploads and its credentials from UPLOADS_URL and the AWS variables. */
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'

export type S3Bucket = {
  readonly name: string
  /** Prefix of every key: empty, or ending with a slash. */
  readonly prefix: string
  /** URL of the bucket, without a trailing slash. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** Patterns of names and prefixes that need no escaping in XML or URLs. */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/
const PARAMETERS = ['endpoint', 'region']
const DEFAULT_REGION = 'us-east-1'
const URL_FORMS =
  's3://BUCKET, s3://BUCKET/PREFIX or s3://BUCKET?endpoint=https://HOST&region=REGION'

/**
 * Reads the settings of the bucket. `read` returns the value of a variable, or null if the variable is not set. Returns
 * null if no bucket is configured.
 */
export function readS3Bucket(
  read: (name: string) => string | null,
): Result<S3Bucket | null, string> {
  const text = read('UPLOADS_URL')
  if (text === null) return ok(null)
  const invalid = err(`UPLOADS_URL must have the form ${URL_FORMS}, not "${text}".`)
  if (!text.startsWith('s3://') || !URL.canParse(text)) return invalid
  const { hostname: name, pathname, searchParams, username, port, hash } = new URL(text)
  const prefix = pathname.replaceAll(/^\/|\/$/g, '')
  const isValid =
    BUCKET_NAME.test(name) &&
    (prefix === '' || PREFIX.test(prefix)) &&
    [...searchParams.keys()].every((key) => PARAMETERS.includes(key)) &&
    username + port + hash === ''
  if (!isValid) return invalid
  const region =
    searchParams.get('region') ?? read('AWS_REGION') ?? read('AWS_DEFAULT_REGION') ?? DEFAULT_REGION
  const endpoint = searchParams.get('endpoint')
  if (endpoint !== null && !isEndpoint(endpoint))
    return err(
      `The endpoint in UPLOADS_URL must be an address such as https://s3.example.org, without a path, not "${endpoint}".`,
    )
  const accessKeyId = read('AWS_ACCESS_KEY_ID')
  const secretAccessKey = read('AWS_SECRET_ACCESS_KEY')
  if (accessKeyId === null || secretAccessKey === null)
    return err('UPLOADS_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  return ok({
    name,
    prefix: prefix === '' ? '' : `${prefix}/`,
    url: buildBucketUrl(name, region, endpoint),
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: read('AWS_SESSION_TOKEN'),
  })
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username } = new URL(text)
  return /^https?:$/.test(protocol) && pathname === '/' && search + hash + username === ''
}

/**
 * Builds the URL of the bucket. Servers other than Amazon's accept the bucket in the path. Amazon's TLS certificate
 * does not cover a host name that begins with a bucket name containing a dot.
 */
function buildBucketUrl(name: string, region: string, endpoint: string | null): string {
  if (endpoint !== null) return `${new URL(endpoint).origin}/${name}`
  const host = `s3.${region}.amazonaws.com`
  return name.includes('.') ? `https://${host}/${name}` : `https://${name}.${host}`
}

/** Describes the bucket for operators, without credentials. */
export const describeBucket = ({ name, prefix, url }: S3Bucket): string =>
  `the bucket "${name}"${prefix === '' ? '' : ` (${prefix})`} at ${new URL(url).host}`
