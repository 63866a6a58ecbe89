require 'net/http'
ARGV.each do |url|
  response = Net::HTTP.get_response(URI(url))
  puts "#{response.code} #{response.body}"
end
