/** The receipts, invoices and credit notes of a registration, as PDFs. */
import { useQuery } from '@tanstack/react-query'
import type { DocumentsResponse } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'

const readDocuments: Reader<DocumentsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['documents'], (document) =>
    isRecord(document) &&
    hasAll(document, 'string', 'title', 'serial', 'at') &&
    hasAll(document, 'number', 'id', 'total')
      ? document
      : null,
  ) !== null
    ? (body as DocumentsResponse)
    : null

/** Renders nothing if no documents were issued. */
export function Documents({ regNo }: { readonly regNo: string }) {
  const url = `/admin/registrations/${encodeURIComponent(regNo)}/documents/`
  const query = useQuery({
    queryKey: ['documents', regNo],
    queryFn: ({ signal }) => callApi(url, readDocuments, { signal }),
  })
  const error = useSignInOn401(query.error)
  const documents = query.data?.documents ?? []
  if (error === null && documents.length === 0) return null
  return (
    <section className="panel" aria-labelledby="reg-documents">
      <h2 id="reg-documents">Documents</h2>
      {error && <Banner text={error.message} />}
      <ul className="log">
        {documents.map(({ id, title, serial, at, total, ...document }) => (
          <li key={id}>
            <span>
              <a href={`${url}${id}/`} download>
                {title} {serial}
              </a>
              <small>{formatResponseMoney(total, readResponseCurrency(document))}</small>
            </span>
            <EntryTime at={at} />
          </li>
        ))}
      </ul>
    </section>
  )
}
