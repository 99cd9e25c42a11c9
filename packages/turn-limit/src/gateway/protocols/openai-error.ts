/** An error in the form of OpenAI's interfaces. */
export function openAiError(status: number, message: string): string {
  return JSON.stringify({ error: { message, type: errorType(status), param: null, code: null } });
}

function errorType(status: number): string {
  if (status === 402) return "billing_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
