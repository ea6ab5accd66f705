/** Parsers for the responses about emails, event files and recovery. */
import { readInstant } from '../../../engine/index.ts'
import type {
  EventFilesResponse,
  EventVersionsResponse,
  EmailsResponse,
  RecoveryResponse,
  VersionDifferenceResponse,
  VersionTextResponse,
  WireEventFile,
  WireEventVersion,
  WireMail,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray, readString } from '../../app/json-readers.ts'

const isStringOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && readInstant(value) !== null

export const readEmails: Reader<EmailsResponse> = (body) =>
  isRecord(body) &&
  isRecord(body['counts']) &&
  hasAll(body['counts'], 'number', 'queued', 'failed', 'sent') &&
  hasAll(body, 'number', 'counted_to') &&
  readArray(body['mails'], readEmail) !== null &&
  (body['before'] === null || typeof body['before'] === 'number')
    ? (body as EmailsResponse)
    : null

const readEmail = (value: unknown): WireMail | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'id', 'tries') &&
  hasAll(value, 'string', 'to', 'subject', 'event_id', 'event', 'status') &&
  isInstant(value['at']) &&
  (value['next_at'] === null || isInstant(value['next_at'])) &&
  isStringOrNull(value['reg_no']) &&
  isStringOrNull(value['error']) &&
  (value['details'] === undefined || isEmailDetails(value['details']))
    ? (value as WireMail)
    : null

const isEmailDetails = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['text'] === 'string' &&
  isInstant(value['queued_at']) &&
  ['sent_at', 'tried_at'].every((name) => value[name] === null || isInstant(value[name]))

export const readEventFiles: Reader<EventFilesResponse> = (body) =>
  isRecord(body) && readArray(body['files'], readEventFile) !== null
    ? (body as EventFilesResponse)
    : null

const readEventFile = (value: unknown): WireEventFile | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'file', 'is') &&
  ['event_id', 'title', 'version', 'why', 'findings'].every((name) => isStringOrNull(value[name]))
    ? (value as WireEventFile)
    : null

export const readEventVersions: Reader<EventVersionsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['versions'], readEventVersion) !== null &&
  isStringOrNull(body['before'])
    ? (body as EventVersionsResponse)
    : null

const readEventVersion = (value: unknown): WireEventVersion | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'version') &&
  hasAll(value, 'boolean', 'is_live') &&
  isStringOrNull(value['previous']) &&
  isInstant(value['loaded_at']) &&
  isInstant(value['last_loaded_at'])
    ? (value as WireEventVersion)
    : null

export const readVersionDifference: Reader<VersionDifferenceResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'version', 'from') &&
  readArray(body['unreadable'], readString) !== null &&
  readArray(body['groups'], (group) =>
    isRecord(group) &&
    hasAll(group, 'string', 'title') &&
    readArray(group['changes'], readString) !== null
      ? group
      : null,
  ) !== null
    ? (body as VersionDifferenceResponse)
    : null

export const readVersionText: Reader<VersionTextResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'version', 'text') ? (body as VersionTextResponse) : null

export const readRecovery: Reader<RecoveryResponse> = (body) =>
  isRecord(body) &&
  (body['recovery'] === null || isRecovery(body['recovery'])) &&
  readArray(body['past'], (entry) =>
    isRecord(entry) && hasAll(entry, 'string', 'code', 'begun_at', 'ended_at', 'ended_by', 'mails')
      ? entry
      : null,
  ) !== null
    ? (body as RecoveryResponse)
    : null

const FIGURE_KEYS = {
  pending: ['all', 'asked', 'ended'],
  unknown: ['to_decide', 'to_ask'],
  held: ['mails', 'since', 'refunds', 'erasures'],
  uploads: ['missing', 'unused'],
} as const

const isRecovery = (value: unknown): boolean =>
  isRecord(value) &&
  isInstant(value['begun_at']) &&
  hasAll(value, 'string', 'why', 'code') &&
  ['copy_at', 'stored_at', 'served_at'].every(
    (name) => value[name] === null || isInstant(value[name]),
  ) &&
  Object.entries(FIGURE_KEYS).every(([name, keys]) => {
    const figures = value[name]
    return isRecord(figures) && hasAll(figures, 'number', ...keys)
  }) &&
  readArray(value['mails'], (entry) =>
    isRecord(entry) && hasAll(entry, 'string', 'to', 'subject', 'event') && isInstant(entry['at'])
      ? entry
      : null,
  ) !== null &&
  readArray(value['series'], (entry) =>
    isRecord(entry) && hasAll(entry, 'string', 'pattern', 'year') && hasAll(entry, 'number', 'last')
      ? entry
      : null,
  ) !== null
