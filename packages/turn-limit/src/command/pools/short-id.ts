const UUID = /^[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** As much of a UUID as tells it from others. Whoever answers a question need not type more. Other names stay whole. */
export function shortId(id: string): string {
  return UUID.exec(id)?.[0] ?? id;
}
