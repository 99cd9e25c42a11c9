# An agent in Ruby: Chat Completions, not streamed, with the standard library only.
# It calls its tool for as long as the model asks for it.

require "json"
require "net/http"

ADDRESS = URI("#{ENV.fetch("OPENAI_BASE_URL")}/chat/completions")
TOOL = {
  type: "function",
  function: { name: "look", description: "Looks again", parameters: { type: "object", properties: {} } },
}.freeze
HEADERS = { "content-type" => "application/json", "authorization" => "Bearer key" }.freeze

messages = [{ role: "user", content: "Go." }]

Net::HTTP.start(ADDRESS.host, ADDRESS.port) do |http|
  loop do
    body = { model: "gpt-5", messages: messages, tools: [TOOL] }
    response = http.post(ADDRESS.request_uri, JSON.generate(body), HEADERS)
    answer = JSON.parse(response.body)
    unless response.code == "200"
      puts "#{response.code} #{answer.dig("error", "message")}"
      exit 3
    end
    message = answer["choices"][0]["message"]
    calls = message["tool_calls"] || []
    exit 0 if calls.empty?
    puts "looked"
    messages << message
    calls.each { |call| messages << { role: "tool", tool_call_id: call["id"], content: "nothing" } }
  end
end
