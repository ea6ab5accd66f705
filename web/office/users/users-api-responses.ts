/** Parsers for the responses about accounts, users and the audit log. */
import { isRole, readInstant } from '../../../engine/index.ts'
import type {
  AccountResponse,
  AuditLogResponse,
  PasswordLinkResponse,
  UsersResponse,
  UserUpdatedResponse,
  RecoveryCodesResponse,
  SecondFactorResponse,
  WireAuditEntry,
  WireUser,
  WireSession,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import type { JsonObject } from '../../app/json-readers.ts'

const readText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && readInstant(value) !== null
const isInstantOrNull = (value: unknown): boolean => value === null || isInstant(value)
const areEventIds = (value: unknown): boolean =>
  value === null || readArray(value, readText) !== null

export const readAccount: Reader<AccountResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'username') &&
  isRole(body['role']) &&
  areEventIds(body['events']) &&
  isRecord(body['second_factor']) &&
  hasAll(body['second_factor'], 'boolean', 'is_on', 'is_required') &&
  hasAll(body['second_factor'], 'number', 'recovery_codes_left') &&
  readArray(body['sessions'], readUserSession) !== null
    ? (body as AccountResponse)
    : null

const readUserSession = (value: unknown): WireSession | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'network', 'browser') &&
  hasAll(value, 'boolean', 'is_this') &&
  isInstant(value['signed_in_at']) &&
  isInstant(value['seen_at'])
    ? (value as WireSession)
    : null

export const readSecondFactorSecret: Reader<SecondFactorResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'secret', 'address')
    ? (body as SecondFactorResponse)
    : null

export const readRecoveryCodes: Reader<RecoveryCodesResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  readArray(body['recovery_codes'], readText) !== null
    ? (body as RecoveryCodesResponse)
    : null

export const readUsers: Reader<UsersResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'boolean', 'second_factor_required') &&
  readArray(body['people'], readUser) !== null &&
  readArray(body['events'], readEventTitle) !== null
    ? (body as UsersResponse)
    : null

const readEventTitle = (value: unknown): JsonObject | null =>
  isRecord(value) && hasAll(value, 'string', 'id', 'title') ? value : null

const readUser = (value: unknown): WireUser | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'username') &&
  isRole(value['role']) &&
  areEventIds(value['events']) &&
  hasAll(value, 'boolean', 'has_second_factor') &&
  isInstant(value['added_at']) &&
  isInstantOrNull(value['signed_in_at']) &&
  isInstantOrNull(value['invited_until'])
    ? (value as WireUser)
    : null

export const readUserUpdate: Reader<UserUpdatedResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  (body['link'] === null || typeof body['link'] === 'string')
    ? (body as UserUpdatedResponse)
    : null

export const readPasswordLink: Reader<PasswordLinkResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'username') ? (body as PasswordLinkResponse) : null

export const readAuditLog: Reader<AuditLogResponse> = (body) =>
  isRecord(body) &&
  readArray(body['rows'], readAuditEntry) !== null &&
  (body['before'] === null || typeof body['before'] === 'number') &&
  readArray(body['people'], readText) !== null
    ? (body as AuditLogResponse)
    : null

const readAuditEntry = (value: unknown): WireAuditEntry | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'id') &&
  hasAll(value, 'string', 'who', 'what', 'event') &&
  isInstant(value['at']) &&
  (value['reg_no'] === null || typeof value['reg_no'] === 'string') &&
  (value['event_id'] === null || typeof value['event_id'] === 'string')
    ? (value as WireAuditEntry)
    : null
